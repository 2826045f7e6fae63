"""One line of a claim: an attempt as an executor has it, and the desk of its handler."""

from __future__ import annotations

import math
from asyncio import Task
from collections.abc import Awaitable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING, Final, Literal, TypedDict, cast
from uuid import UUID

import orjson

from jobplane.core.lines import USUAL_PRIORITY, LogLevel
from jobplane.core.traces import trace_id
from jobplane.execution.capture import Speaker
from jobplane.execution.desk import TURN, share_of
from jobplane.execution.handler import Handler
from jobplane.execution.said import Begun
from jobplane.execution.signals import Canceled, DeadlinePassed, Interrupted, LeaseLost
from jobplane.worker.wire import StopReason

if TYPE_CHECKING:
    from jobplane.worker.executor.journal import Journal
    from jobplane.worker.executor.outbox import Outbox

Stop = StopReason | Literal["timeout"]

CREDIT: Final = 256 * 1024  # bytes of log that may be under way for one job
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SIGNALS: Final[Mapping[Stop, tuple[type[Exception], str]]] = {
    "cancel": (Canceled, "somebody canceled this job"),
    "gone": (LeaseLost, "the lease is gone"),
    "shutdown": (Interrupted, "the worker stops"),
    "timeout": (DeadlinePassed, "the deadline has passed"),
}


class _Rest(TypedDict, total=False):
    """What few jobs have, each only if they have it."""

    artifact_ref: str
    correlation_id: str
    trace_context: str
    source_ref: str
    priority: int
    undecodable: list[str]


class Assignment(Speaker):
    """Nothing of the line is decoded before somebody asks for it; `until` is on the monotonic clock.

    What most attempts never change is on the class: an attempt that does nothing costs little to make.
    """

    handler: Handler
    journal: Journal
    outbox: Outbox
    task: Task[None] | None = None
    place = -1
    started = 0.0
    until = math.inf
    stop: Stop | None = None
    stopped_at = math.inf
    share: float | None = None
    message: str | None = None
    credit = CREDIT
    line = 0
    dropped = 0
    is_closed = False
    begun: Begun | None = None  # of what it prints

    def __init__(self, line: bytes) -> None:
        self.fields = fields = line.split(b"\t", 10)
        self.seq = int(fields[0])

    # What a context shows

    @property
    def facts(self) -> Assignment:
        return self

    @property
    def plane(self) -> object:
        return self.handler.plane

    @property
    def worker(self) -> str:
        return self.outbox.worker

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
        self.outbox.shared(self, said, message)
        return TURN

    def check(self) -> Awaitable[None]:
        if self.stop is not None or monotonic() >= self.until:
            signal, message = _SIGNALS[self.stop or "timeout"]
            raise signal(message)
        return TURN

    def write(self, level: LogLevel, message: str, fields: Mapping[str, object], *, exc_info: bool = False) -> None:
        self.journal.said(self, level, message, fields, exc_info=exc_info)

    def keep(self, level: LogLevel, message: str, fields: Mapping[str, object]) -> None:
        ids = self.ids  # which the log of the process has put into the record
        self.journal.keep(self, level, message, {name: value for name, value in fields.items() if name not in ids})

    def printed(self, level: LogLevel, text: str) -> None:
        self.journal.printed(self, level, text)

    @cached_property
    def ids(self) -> Mapping[str, object]:
        """What each line of the process's log carries: as `ids_of` has it, out of the texts of the line."""
        job_id = self.fields[5].decode()
        return {
            "job_id": job_id,
            "tenant_id": self.fields[6].decode(),
            "definition_key": self.definition_key,
            "attempt_no": self.attempt_no,
            "worker_id": self.worker,
            "correlation_id": self.correlation_id,
            "trace_id": trace_id(job_id, self.trace_context),
        }

    # What its lease says

    @property
    def attempt_no(self) -> int:
        return int(self.fields[1])

    @property
    def definition_key(self) -> str:
        return self.fields[2].decode()

    @property
    def timeout_seconds(self) -> int | None:
        return int(self.fields[3]) if self.fields[3] else None

    @property
    def attempts_left(self) -> int:
        return int(self.fields[4])

    @property
    def job_id(self) -> UUID:
        return UUID(self.fields[5].decode())

    @property
    def tenant_id(self) -> UUID:
        return UUID(self.fields[6].decode())

    @property
    def scheduled_for(self) -> datetime:
        return _EPOCH + timedelta(microseconds=int(self.fields[7]))

    @property
    def source(self) -> str:
        return self.fields[8].decode()

    @property
    def source_ref(self) -> str | None:
        return self._rest().get("source_ref")

    @property
    def artifact_ref(self) -> str | None:
        return self._rest().get("artifact_ref")

    @property
    def correlation_id(self) -> str | None:
        return self._rest().get("correlation_id")

    @property
    def trace_context(self) -> str | None:
        return self._rest().get("trace_context")

    @property
    def priority(self) -> int:
        return self._rest().get("priority", USUAL_PRIORITY)

    @property
    def undecodable(self) -> list[str]:
        """What of the job cannot be decoded, beside its payload."""
        return self._rest().get("undecodable", [])

    def _rest(self) -> _Rest:
        return cast("_Rest", orjson.loads(self.fields[9])) if self.fields[9] else {}
