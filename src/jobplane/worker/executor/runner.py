"""Call a handler, in a task or in a thread, and turn its result or exception into an ending."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable
from contextvars import Context
from time import monotonic
from typing import cast

import orjson

from jobplane.core.leases import SUCCEEDED, Ending
from jobplane.execution.artifacts import Artifacts
from jobplane.execution.running import current
from jobplane.worker.executor import forks, verdicts
from jobplane.worker.executor.assignment import Assignment
from jobplane.worker.executor.places import Places
from jobplane.worker.executor.threads import Ended, HandlerThreads


class Runner:
    """Runs attempts. Calls `ended` once for each, on the event loop."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        threads: int,
        base: Context,
        places: Places,
        artifacts: Artifacts | None,
        ended: Ended,
    ) -> None:
        self._loop = loop
        self._places = places
        self._uses = places.uses
        self._base = base
        self._artifacts = artifacts
        self._ended = ended
        self._threads = HandlerThreads(loop, threads, base, self._call, ended)

    @property
    def is_full(self) -> bool:
        """Whether a `def` handler would have to wait for a thread."""
        return self._threads.is_full

    def run(self, attempt: Assignment) -> None:
        if attempt.handler.is_async:
            attempt.task = self._task(attempt)
        else:
            self._threads.give(attempt)

    def _task(self, attempt: Assignment) -> asyncio.Task[None]:
        run, name, context = self._await(attempt), attempt.handler.key, self._base.copy()
        if sys.version_info >= (3, 12):  # a handler that never waits is never scheduled
            return asyncio.Task(run, loop=self._loop, name=name, context=context, eager_start=True)
        return asyncio.Task(run, loop=self._loop, name=name, context=context)

    async def _await(self, attempt: Assignment) -> None:
        """Run an `async def` handler. It has a task and a context of its own."""
        current.set(attempt)
        self._uses[attempt.place] = attempt.seq  # before any code of the user runs, and that of its types is some
        handler = attempt.handler
        if attempt.stop is not None:  # before its first step
            self._ended(attempt, verdicts.end_with_error(attempt, asyncio.CancelledError()))
            return
        try:
            arguments = handler.arguments_of(attempt)
        except BaseException as error:  # noqa: BLE001 a type's own validator may raise anything
            self._ended(attempt, verdicts.end_unfit(attempt, error))
            return
        try:
            result = await cast("Awaitable[object]", handler.call(attempt, arguments))
        except BaseException as error:  # noqa: BLE001 whatever it is, it ends the attempt, not the executor
            ending = verdicts.end_with_error(attempt, error)
        else:
            ending = verdicts.end_with_result(attempt, result, self._artifacts)
        forks.leave(ending)
        if ending is not SUCCEEDED:
            self._note(attempt, ending)
        self._ended(attempt, ending)  # which notes a plain success

    def _call(self, attempt: Assignment) -> Ending:
        """Run a `def` handler, in a thread and in a context of its own."""
        current.set(attempt)
        self._uses[attempt.place] = attempt.seq  # not before: what no thread has taken is no suspect
        handler = attempt.handler
        if attempt.stop is not None:  # before its thread was there
            return verdicts.end_with_error(attempt, asyncio.CancelledError())
        try:
            arguments = handler.arguments_of(attempt)
        except BaseException as error:  # noqa: BLE001 the same
            return verdicts.end_unfit(attempt, error)
        try:
            ending = verdicts.end_with_result(attempt, handler.call(attempt, arguments), self._artifacts)
        except BaseException as error:  # noqa: BLE001 the same
            ending = verdicts.end_with_error(attempt, error)
        forks.leave(ending)
        if ending is SUCCEEDED and attempt.stop is None and attempt.share is None and attempt.message is None:
            self._uses[attempt.place] = -attempt.seq  # a plain success; its deadline was just judged
        else:
            self._note(attempt, ending)
        return ending

    def _note(self, attempt: Assignment, ending: Ending) -> None:
        """Put an outcome that is more than a plain success on the board.

        It counts from now on, even if the process dies before the outcome is sent.
        Whether an attempt that was told to stop, or is past its timeout, has succeeded is not decided here.
        """
        if attempt.stop is None and monotonic() < attempt.until:
            attempt.row = orjson.dumps(verdicts.row(attempt, ending))
            self._places.keep(attempt.place, attempt.seq, attempt.row)
