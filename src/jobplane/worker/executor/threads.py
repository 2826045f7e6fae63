"""Threads for `def` handlers.

`run_in_executor` makes a future, a work item and a wake-up of the loop for each job. Here a thread that finds more work
goes on without a switch, and the loop is woken once for many outcomes.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from contextvars import Context
from queue import SimpleQueue

from jobplane.core.leases import Ending
from jobplane.execution.exceptions import DeadlinePassed
from jobplane.worker.executor import interrupts, verdicts
from jobplane.worker.executor.assignment import Assignment

Call = Callable[[Assignment], Ending]
Ended = Callable[[Assignment, Ending], None]


class HandlerThreads:
    """Starts threads up to a limit when there is work. They are daemon threads: one that never ends delays no exit."""

    def __init__(self, loop: asyncio.AbstractEventLoop, limit: int, base: Context, call: Call, ended: Ended) -> None:
        self._loop = loop
        self._limit = limit
        self._call = call
        self._ended = ended
        self._given: SimpleQueue[Assignment] = SimpleQueue()
        self._over: deque[tuple[Assignment, Ending]] = deque()
        self._is_woken = False
        self._count = 0
        self.busy = 0
        self.base = base

    @property
    def is_full(self) -> bool:
        return self.busy >= self._limit

    def give(self, attempt: Assignment) -> None:
        self.busy += 1
        if self.busy > self._count:
            self._count += 1
            threading.Thread(target=self._work, name=f"jobplane-{self._count}", daemon=True).start()
        self._given.put(attempt)

    def _work(self) -> None:
        ident = threading.get_ident()
        while True:
            attempt = self._given.get()
            ending = self._run(attempt, ident)
            self._over.append((attempt, ending))
            del attempt, ending
            if not self._is_woken:
                self._is_woken = True
                self._loop.call_soon_threadsafe(self._collect, context=self.base)

    def _run(self, attempt: Assignment, ident: int) -> Ending:
        """Call the handler. The exception of its deadline may be raised after it has returned, and is caught here."""
        ending: Ending | None = None
        try:
            attempt.thread = ident
            # What a handler puts into context variables is not there for the next one.
            ending = self.base.copy().run(self._call, attempt)
            attempt.thread = 0
            if attempt.stop is not None:  # read after the line above: see interrupts.py
                interrupts.withdraw()
        except DeadlinePassed:  # which comes once
            attempt.thread = 0
        return verdicts.end_timed_out(attempt) if ending is None else ending

    def _collect(self) -> None:
        self._is_woken = False  # before we look: who comes now wakes us again
        while self._over:
            self.busy -= 1
            self._ended(*self._over.popleft())
