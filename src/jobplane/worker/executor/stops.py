"""Stop attempts at their deadline or on request, and report those that run on."""

from __future__ import annotations

import asyncio
import inspect
import logging
import math
import os
import sys
from collections.abc import Mapping
from contextvars import Context
from time import monotonic
from types import CoroutineType
from typing import Final

import orjson

from jobplane.execution.running import current
from jobplane.worker.executor import interrupts
from jobplane.worker.executor.assignment import Assignment
from jobplane.worker.executor.outbox import Outbox
from jobplane.worker.executor.verdicts import PATIENCE_SECONDS
from jobplane.worker.frames import Kind, Stop, StopReason

_AGAIN_SECONDS: Final = 0.01  # until the next try to interrupt a handler in code that must not be interrupted
_NAMED: Final = 100
_TOLD: Final[Mapping[Stop, str]] = {  # the supervisor logs the other reasons
    "timeout": "The handler did not stop at its timeout. Its process gets no more jobs, "
    "and is killed when no other handler runs in it.",
    "cancel": "The handler did not stop when the job was canceled. Its slot stays taken until the handler ends.",
}

log = logging.getLogger("jobplane.worker")


class Stops:
    """Has one timer for all attempts, set to the earliest deadline: a start or an end of an attempt costs nothing."""

    def __init__(self, loop: asyncio.AbstractEventLoop, outbox: Outbox, running: Mapping[int, Assignment]) -> None:
        self._loop = loop
        self._outbox = outbox
        self._running = running
        self.next = math.inf
        self._timer: asyncio.TimerHandle | None = None
        self._overdue: dict[int, Stop] = {}
        self._base = Context()

    @property
    def ids(self) -> dict[str, object]:
        """The attempts that run here, for a log line about the process. Any thread may call this."""
        jobs = [str(attempt.job_id) for attempt in list(self._running.values())[:_NAMED]]
        return {"worker_id": self._outbox.worker, "pid": os.getpid(), "job_ids": jobs}

    def find_blocker(self) -> Assignment | None:
        """The attempt that runs on the event loop now, if it is past its deadline. Call this from another thread."""
        task = asyncio.current_task(self._loop)
        if task is None:
            return None
        if sys.version_info >= (3, 12):  # also where a task of the handler runs, or its own first step
            found = task.get_context().get(current)
        else:
            found = next((each for each in list(self._running.values()) if each.task is task), None)
        return found if isinstance(found, Assignment) and found.until <= monotonic() else None

    def watch(self, until: float) -> None:
        """Look again at this time at the latest."""
        if until >= self.next:
            return
        if self._timer is not None:
            self._timer.cancel()
        self.next = until
        self._timer = self._loop.call_later(max(0.0, until - monotonic()), self._look, context=self._base)

    def stop(self, attempt: Assignment, why: StopReason) -> None:
        """Cancel an `async def` handler, once. A `def` handler is told at its next checkpoint."""
        if why == "gone":
            attempt.stop = why  # nothing of it counts any more, whatever was said before
        if attempt.stopped_at != math.inf:
            return
        attempt.stop = why
        attempt.stopped_at = monotonic()
        self.watch(attempt.stopped_at + PATIENCE_SECONDS)
        _cancel(attempt)

    def on_ended(self, attempt: Assignment) -> None:
        """An attempt that was told to stop has ended."""
        if self._overdue.pop(attempt.seq, None) is not None:
            self._tell()

    def _look(self) -> None:
        now, self.next, self._timer = monotonic(), math.inf, None
        for attempt in list(self._running.values()):
            if attempt.until <= now and attempt.late_at == math.inf:
                self._time_out(attempt, now)
        overdue: dict[int, Stop] = {
            seq: why for seq, a in self._running.items() if (why := _find_overdue(a, now)) is not None
        }
        if overdue != self._overdue:
            for seq, why in overdue.items() - self._overdue.items():
                _say(self._running[seq], why)
            self._overdue = overdue
            self._tell()
        self.watch(min((_next(a, now) for a in self._running.values()), default=math.inf))

    def _time_out(self, attempt: Assignment, now: float) -> None:
        """Stop a handler whose deadline has passed, also one that was told to stop before and runs on."""
        attempt.stop = attempt.stop or "timeout"
        attempt.stopped_at = min(attempt.stopped_at, now)
        attempt.late_at = now
        if not _cancel(attempt):
            self._interrupt(attempt)

    def _interrupt(self, attempt: Assignment) -> None:
        if not interrupts.interrupt(attempt):
            self._loop.call_later(_AGAIN_SECONDS, self._interrupt, attempt, context=self._base)

    def _tell(self) -> None:
        self._outbox.send(Kind.OVERDUE, orjson.dumps(sorted(self._overdue.items())))


def _cancel(attempt: Assignment) -> bool:
    """Cancel the task of an `async def` handler; whether there is one."""
    if attempt.task is not None and not _is_new(attempt.task):
        attempt.task.cancel()
    return attempt.task is not None


def _find_overdue(attempt: Assignment, now: float) -> Stop | None:
    """The reason why an attempt should have ended by now, or None."""
    if attempt.late_at + PATIENCE_SECONDS <= now:
        return "timeout"
    return attempt.stop if attempt.stopped_at + PATIENCE_SECONDS <= now else None


def _say(attempt: Assignment, why: Stop) -> None:
    if why in _TOLD:
        facts = {"event": "attempt_overdue", "reason": why, **attempt.named}
        log.warning(_TOLD[why], extra={"facts": facts})


def _is_new(task: asyncio.Task[None]) -> bool:
    """Whether the task has not run its first step, which checks for a stop. A cancel would end it unnoticed."""
    run = task.get_coro()
    return isinstance(run, CoroutineType) and inspect.getcoroutinestate(run) == inspect.CORO_CREATED


def _next(attempt: Assignment, now: float) -> float:
    """The next time at which this attempt must be looked at."""
    times = (attempt.until if attempt.late_at == math.inf else math.inf, attempt.late_at + PATIENCE_SECONDS)
    return min((at for at in (*times, attempt.stopped_at + PATIENCE_SECONDS) if at > now), default=math.inf)
