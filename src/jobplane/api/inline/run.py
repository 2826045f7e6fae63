"""An attempt that runs in place, with a store at hand."""

from __future__ import annotations

import asyncio
import logging
import math
import traceback
from collections.abc import Awaitable, Callable, Generator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Final, cast

import orjson

from jobplane.api.inline.book import Book
from jobplane.api.inline.renewals import Done, Renews
from jobplane.core.claimed import ClaimedJob
from jobplane.core.leases import Lease
from jobplane.core.logs import LogLevel
from jobplane.core.masking import Masker
from jobplane.execution.artifacts import Artifacts
from jobplane.execution.attempt_secrets import AttemptSecrets
from jobplane.execution.capture import JOB_LOGGER, LoggedAttempt
from jobplane.execution.exceptions import Canceled, DeadlinePassed, LeaseLost, describe_timeout
from jobplane.execution.handler import Handler
from jobplane.execution.masked_values import has_headers
from jobplane.execution.output import encode_fields
from jobplane.execution.running import TURN, share_of
from jobplane.execution.secret_sources import SecretSource

_LOGGER: Final = logging.getLogger(JOB_LOGGER)
_log: Final = logging.getLogger("jobplane.run")
_LEVELS: Final = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


class InlineAttempt(LoggedAttempt):
    """The attempt of an attempt whose lease is renewed from here; `ctx.log` goes to the logger `jobplane.job` too."""

    def __init__(
        self, lease: Lease, job: ClaimedJob, renews: Renews, plane: object, worker: str, source: SecretSource
    ) -> None:
        self.lease = lease
        self.job = job
        self.plane = plane
        self.worker = worker
        self.started_at = datetime.now(UTC)
        self._until = math.inf if job.timeout_seconds is None else monotonic() + job.timeout_seconds
        self.share: float | None = None
        self.secrets = AttemptSecrets(source, job)
        self.book = Book(lease, self.secrets)
        self._renews = renews
        self._answer = "renewed"
        self._asked: asyncio.Task[str] | None = None
        self._last_check: Asked | None = None

    @property
    def deadline(self) -> datetime | None:
        if self._until == math.inf:
            return None
        return datetime.now(UTC) + timedelta(seconds=self._until - monotonic())

    @property
    def is_late(self) -> bool:
        """Whether its deadline has passed."""
        return monotonic() >= self._until

    @property
    def is_canceled(self) -> bool:
        return self._answer == "cancel"

    def note(self, share: float | None, message: str | None) -> Awaitable[None]:
        said = share_of(share)
        self.share = self.share if said is None else said
        return self._apply(self._renews(said, None if message is None else self.masker.mask(message)), self.hear)

    def check(self) -> Awaitable[None]:
        answer = self._renews(None, None)
        applied = self._apply(answer, self._judge)
        if isinstance(applied, Asked):  # what is known now counts now; the answer is heard when it comes
            self._last_check = applied
            self._judge(self._answer)
        return applied

    async def end_checks(self) -> None:
        """Raise what the last checkpoint would have raised, if the handler did not await it."""
        if self._last_check is not None and not self._last_check.is_awaited:
            await self._last_check

    async def finish(self) -> None:
        """Wait for renewals that were asked for and not awaited."""
        if self._asked is not None:
            await asyncio.wait({self._asked})

    def find_secret(self, reference: str) -> str:
        return self.secrets.find(reference)

    @property
    def masker(self) -> Masker:
        return self.secrets.masker

    def leave(self) -> None:
        """Nothing is interrupted here."""

    def write(self, level: LogLevel, message: str, fields: Mapping[str, object], *, exc_info: bool = False) -> None:
        whole = f"{message}\n{traceback.format_exc()}" if exc_info else message
        self._log(level, message, fields, whole if exc_info else None)
        if level != "debug" or _LOGGER.isEnabledFor(logging.DEBUG):
            self.book.add(level, whole, fields)

    def _log(self, level: LogLevel, message: str, fields: Mapping[str, object], raised: str | None) -> None:
        """Write a line to the log of the program."""
        masker, exc_info = self.masker, raised is not None
        if masker or has_headers(f"{raised or message}{fields}"):
            facts = cast("Mapping[str, object]", orjson.loads(encode_fields(fields, masker)))
            message, fields, exc_info = masker.mask(raised or message), facts, False  # a formatter would not mask it
        shown = "".join(f" {name}={value!r}" for name, value in fields.items())
        extra = {**self.job.ids(), "worker_id": self.worker, "facts": fields}
        _LOGGER.log(_LEVELS[level], "%s%s", message, shown, extra=extra, exc_info=exc_info, stacklevel=4)

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
            raise Canceled("The job was canceled. Stop working on it.")
        if self._answer == "gone":
            raise LeaseLost("The lease has expired or was taken over. Stop working on the job.")
        if self.is_late:
            raise DeadlinePassed(describe_timeout(self.job.timeout_seconds))

    def _apply(self, answer: Done | asyncio.Task[str], act: Callable[[str], None]) -> Awaitable[None]:
        """Act on an answer that is there. One that is on its way is heard when it comes, awaited or not."""
        if isinstance(answer, Done):
            act(answer.answer)
            return TURN
        self._asked = answer
        answer.add_done_callback(self._hear_late)
        return Asked(answer, act)

    def _hear_late(self, answer: asyncio.Task[str]) -> None:
        if answer.cancelled():
            return
        if (error := answer.exception()) is None:
            self.hear(answer.result())
        else:
            _log.warning("The lease of job %s could not be renewed: %s", self.job.job_id, error)


class Asked(Awaitable[None]):
    """A renewal that has started. Awaiting it waits for the answer; not awaiting it is harmless."""

    def __init__(self, answer: asyncio.Task[str], act: Callable[[str], None]) -> None:
        self._answer = answer
        self._act = act
        self.is_awaited = False

    def __await__(self) -> Generator[object, None, None]:
        self.is_awaited = True
        self._act((yield from asyncio.shield(self._answer).__await__()))


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
    source: SecretSource,
) -> Run:
    """Judge and convert the payload; raises InvalidPayload where it no longer fits, or the job cannot be decoded."""
    attempt = InlineAttempt(lease, job, renews, handler.plane, worker, source)
    return Run(handler, handler.arguments_of(job), attempt, artifacts)
