"""Attempts that have to stop: at their deadline, or because somebody said so; and those that have not."""

from __future__ import annotations

import asyncio
import inspect
import logging
import math
import os
from collections.abc import Mapping
from contextvars import Context
from time import monotonic
from types import CoroutineType
from typing import Final

import orjson

from jobplane.worker.executor.assignment import Assignment, Stop
from jobplane.worker.executor.outbox import Outbox
from jobplane.worker.frames import Kind

_PATIENCE: Final = 1.0  # seconds for an attempt to end after it was told to
_NAMED: Final = 100
_TOLD: Final[Mapping[Stop, str]] = {  # of the other reasons the supervisor tells
    "timeout": "its timeout has passed, and it still runs; its slot is not free before it has ended",
    "cancel": "it was canceled, and it still runs; its slot is not free before it has ended",
}

log = logging.getLogger("jobplane.worker")


class Stops:
    """One timer for all attempts. It looks at what runs when the earliest deadline comes, not at each start and end."""

    def __init__(self, loop: asyncio.AbstractEventLoop, outbox: Outbox, running: Mapping[int, Assignment]) -> None:
        self._loop = loop
        self._outbox = outbox
        self._running = running
        self.next = math.inf
        self._timer: asyncio.TimerHandle | None = None
        self._overdue: set[int] = set()
        self._base = Context()

    @property
    def ids(self) -> dict[str, object]:
        """The attempts that run here, for a log line about the whole process; any thread may call it."""
        jobs = [str(attempt.job_id) for attempt in list(self._running.values())[:_NAMED]]
        return {"worker_id": self._outbox.worker, "pid": os.getpid(), "job_ids": jobs}

    def watch(self, until: float) -> None:
        """Look again at that time, if not before."""
        if until >= self.next:
            return
        if self._timer is not None:
            self._timer.cancel()
        self.next = until
        self._timer = self._loop.call_later(max(0.0, until - monotonic()), self._look, context=self._base)

    def stop(self, attempt: Assignment, why: Stop) -> None:
        """Cancel an `async def` handler, once; a `def` handler learns it at its checkpoint."""
        if why == "gone":
            attempt.stop = why  # nothing of it counts any more, whatever was said before
        if attempt.stopped_at != math.inf:
            return
        attempt.stop = why
        attempt.stopped_at = monotonic()
        self.watch(attempt.stopped_at + _PATIENCE)
        if attempt.task is not None and not _is_new(attempt.task):
            attempt.task.cancel()

    def on_ended(self, attempt: Assignment) -> None:
        """An attempt that was told to stop is over."""
        if attempt.seq in self._overdue:
            self._overdue.discard(attempt.seq)
            self._tell()

    def _look(self) -> None:
        now, self.next, self._timer = monotonic(), math.inf, None
        for attempt in list(self._running.values()):
            if attempt.until <= now:
                self.stop(attempt, "timeout")
        overdue = {a.seq: a for a in self._running.values() if a.stopped_at + _PATIENCE <= now}
        if overdue.keys() != self._overdue:
            for seq in overdue.keys() - self._overdue:
                _say(overdue[seq])
            self._overdue = {*overdue}
            self._tell()
        self.watch(min((_next(a, now) for a in self._running.values()), default=math.inf))

    def _tell(self) -> None:
        self._outbox.send(Kind.OVERDUE, orjson.dumps(sorted(self._overdue)))


def _say(attempt: Assignment) -> None:
    if attempt.stop in _TOLD:
        facts = {"event": "attempt_overdue", "reason": attempt.stop, **attempt.named}
        log.warning(_TOLD[attempt.stop], extra={"facts": facts})


def _is_new(task: asyncio.Task[None]) -> bool:
    """Whether the task has not run its first step, which checks for a stop. A cancel would end it unnoticed."""
    run = task.get_coro()
    return isinstance(run, CoroutineType) and inspect.getcoroutinestate(run) == inspect.CORO_CREATED


def _next(attempt: Assignment, now: float) -> float:
    """When there is something to do about it."""
    if attempt.stopped_at == math.inf:
        return attempt.until
    late = attempt.stopped_at + _PATIENCE
    return late if late > now else math.inf
