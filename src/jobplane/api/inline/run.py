"""An attempt that runs in place, with a store at hand."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from jobplane.api.inline.book import Book
from jobplane.api.inline.renewals import Done, Renews
from jobplane.core.claimed import ClaimedJob
from jobplane.core.leases import Lease
from jobplane.core.logs import LogLevel
from jobplane.execution.artifacts import Artifacts
from jobplane.execution.capture import JOB_LOGGER, LoggedAttempt
from jobplane.execution.exceptions import Canceled, DeadlinePassed, LeaseLost
from jobplane.execution.handler import Handler
from jobplane.execution.running import TURN, share_of

_LOGGER: Final = logging.getLogger(JOB_LOGGER)
_LEVELS: Final = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


class InlineAttempt(LoggedAttempt):
    """The attempt of an attempt whose lease is renewed from here; `ctx.log` goes to the logger `jobplane.job` too."""

    def __init__(self, lease: Lease, job: ClaimedJob, renews: Renews, plane: object, worker: str) -> None:
        self.lease = lease
        self.job = job
        self.plane = plane
        self.worker = worker
        self.started_at = datetime.now(UTC)
        self.deadline = _deadline(job)
        self.share: float | None = None
        self.book = Book(lease)
        self._renews = renews
        self._answer = "renewed"

    @property
    def is_canceled(self) -> bool:
        return self._answer == "cancel"

    def note(self, share: float | None, message: str | None) -> Awaitable[None]:
        said = share_of(share)
        self.share = self.share if said is None else said
        return self._apply(self._renews(said, message), self.hear)

    def check(self) -> Awaitable[None]:
        return self._apply(self._renews(None, None), self._judge)

    def write(self, level: LogLevel, message: str, fields: Mapping[str, object], *, exc_info: bool = False) -> None:
        shown = "".join(f" {name}={value!r}" for name, value in fields.items())
        extra = {**self.job.ids(), "worker_id": self.worker, "facts": fields}
        _LOGGER.log(_LEVELS[level], "%s%s", message, shown, extra=extra, exc_info=exc_info, stacklevel=3)
        if level != "debug" or _LOGGER.isEnabledFor(logging.DEBUG):
            self.book.add(level, f"{message}\n{traceback.format_exc()}" if exc_info else message, fields)

    def keep(self, level: LogLevel, message: str, fields: Mapping[str, object]) -> None:
        self.book.add(level, message, fields)

    def keep_output(self, level: LogLevel, text: str) -> None:
        self.book.keep_output(level, text)

    def hear(self, answer: str) -> None:
        """Keep what a renewal said; `busy` says nothing."""
        if answer != "busy":
            self._answer = answer

    def _judge(self, answer: str) -> None:
        self.hear(answer)
        if self._answer == "cancel":
            raise Canceled("somebody canceled this job")
        if self._answer == "gone":
            raise LeaseLost("the lease is gone")
        if self.deadline is not None and datetime.now(UTC) >= self.deadline:
            raise DeadlinePassed("the deadline has passed")

    def _apply(self, answer: Awaitable[str], act: Callable[[str], None]) -> Awaitable[None]:
        """At once where the answer is there, so that a `def` handler need not await; else when it comes."""
        if isinstance(answer, Done):
            act(answer.answer)
            return TURN
        return _apply_later(answer, act)


async def _apply_later(answer: Awaitable[str], act: Callable[[str], None]) -> None:
    act(await answer)


def _deadline(job: ClaimedJob) -> datetime | None:
    seconds = job.timeout_seconds
    return None if seconds is None else datetime.now(UTC) + timedelta(seconds=seconds)


@dataclass(frozen=True, slots=True)
class Run:
    """One attempt that is ready to be called."""

    handler: Handler
    arguments: Mapping[str, object]
    attempt: InlineAttempt
    artifacts: Artifacts | None

    @property
    def timeout_seconds(self) -> int | None:
        return self.attempt.job.timeout_seconds

    def start(self) -> object:
        """Call the handler; of an `async def` one this is the coroutine."""
        return self.handler.call(self.attempt, self.arguments)


def prepare(
    handler: Handler,
    lease: Lease,
    job: ClaimedJob,
    renews: Renews,
    *,
    worker: str = "",
    artifacts: Artifacts | None = None,
) -> Run:
    """Judge and convert the payload; raises InvalidPayload where it no longer fits, or the job cannot be decoded."""
    attempt = InlineAttempt(lease, job, renews, handler.plane, worker)
    return Run(handler, handler.arguments_of(job), attempt, artifacts)
