"""An attempt in an executor."""

from __future__ import annotations

import math
from asyncio import Task
from collections.abc import Awaitable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING, Final, cast

from jobplane.core.claimed import ClaimedJob
from jobplane.core.logs import LogLevel
from jobplane.core.masking import Masker
from jobplane.execution.attempt_secrets import AttemptSecrets
from jobplane.execution.capture import LoggedAttempt
from jobplane.execution.exceptions import Canceled, DeadlinePassed, Interrupted, LeaseLost, describe_timeout
from jobplane.execution.handler import Handler
from jobplane.execution.known_secrets import KNOWN
from jobplane.execution.output import PartialLines
from jobplane.execution.running import TURN, share_of
from jobplane.execution.secret_sources import SecretSource
from jobplane.execution.tail import Tail
from jobplane.worker.executor import interrupts
from jobplane.worker.frames import Stop, StopReason

if TYPE_CHECKING:
    from jobplane.worker.executor.job_logs import JobLogs
    from jobplane.worker.executor.outbox import Outbox

CREDIT: Final = 256 * 1024  # bytes of log that may be under way for one job
_SIGNALS: Final[Mapping[StopReason, tuple[type[Exception], str]]] = {
    "cancel": (Canceled, "The job was canceled. Stop working on it."),
    "gone": (LeaseLost, "The lease has expired or was taken over. Stop working on the job."),
    "shutdown": (Interrupted, "The worker is stopping. Stop working on the job."),
}


class Assignment(ClaimedJob, LoggedAttempt):
    """A claimed job that runs here; `until` is on the monotonic clock.

    `stopped_at` is when it was told to stop, `late_at` when it was told that its deadline has passed. `thread` is the
    thread that a `def` handler runs in while it runs, `is_told` whether it knows of its deadline, `is_due` whether it
    will be told as soon as it leaves the code that it is in.

    What most attempts never change is on the class: an attempt that does nothing costs little to make.
    """

    handler: Handler
    journal: JobLogs
    outbox: Outbox
    secret_source: SecretSource
    task: Task[None] | None = None
    place = -1
    started = 0.0
    until = math.inf
    stop: Stop | None = None
    stopped_at = math.inf
    late_at = math.inf
    thread = 0
    is_told = False
    is_due = False
    share: float | None = None
    message: str | None = None
    credit = CREDIT
    line = 0
    is_closed = False
    row: bytes | None = None  # its outcome as JSON, once it has one that is more than a success
    begun: PartialLines | None = None  # of what it prints
    tail: Tail | None = None  # the newest lines, while they exceed the credit
    secrets: AttemptSecrets | None = None  # once it has asked for one

    # What a context shows

    @property
    def job(self) -> Assignment:
        return self

    @property
    def plane(self) -> object:
        return self.handler.plane

    @property
    def worker(self) -> str:
        return self.outbox.worker

    @property
    def started_at(self) -> datetime:
        return datetime.now(UTC) - timedelta(seconds=monotonic() - self.started)

    @property
    def deadline(self) -> datetime | None:
        if self.until == math.inf:
            return None
        return datetime.now(UTC) + timedelta(seconds=self.until - monotonic())

    @property
    def is_canceled(self) -> bool:
        return self.stop == "cancel"

    def note(self, share: float | None, message: str | None) -> Awaitable[None]:
        said = share_of(share)
        self.share = self.share if said is None else said
        message = None if message is None else self.masker.mask(message)
        self.outbox.keep_progress(self, said, message)
        return TURN

    def check(self) -> Awaitable[None]:
        if self.stop is not None and self.stop != "timeout":
            signal, message = _SIGNALS[self.stop]
            raise signal(message)
        if self.stop is not None or monotonic() >= self.until:
            interrupts.learn(self)
            raise DeadlinePassed(describe_timeout(self.timeout_seconds))
        return TURN

    def find_secret(self, reference: str) -> str:
        if self.secrets is None:  # of two threads that ask at once, both get the same
            vars(self).setdefault("secrets", AttemptSecrets(self.secret_source, self))
        value = cast("AttemptSecrets", self.secrets).find(reference)
        interrupts.leave(self)
        return value

    @property
    def masker(self) -> Masker:
        return KNOWN.shared if self.secrets is None else self.secrets.masker

    def leave(self) -> None:
        interrupts.leave(self)

    def write(self, level: LogLevel, message: str, fields: Mapping[str, object], *, exc_info: bool = False) -> None:
        self.journal.add_line(self, level, message, fields, exc_info=exc_info)

    def keep(self, level: LogLevel, message: str, fields: Mapping[str, object]) -> None:
        self.journal.keep(self, level, message, fields)

    def keep_output(self, level: LogLevel, text: str) -> None:
        self.journal.keep_output(self, level, text)

    @cached_property
    def _ids(self) -> dict[str, object]:
        return {**self.ids(), "worker_id": self.worker}

    @property
    def named(self) -> Mapping[str, object]:
        """The ids of this attempt in each line of the process's log. The tenant's slug may come while it runs."""
        ids = self._ids
        if "tenant" not in ids and (slug := self.outbox.slugs.get(str(ids["tenant_id"]))) is not None:
            ids["tenant"] = slug
        return ids
