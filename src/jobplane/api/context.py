"""What a handler knows about the attempt that it is, and how it speaks to whoever runs it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from jobplane.api.desk import Desk

_LOGGER = logging.getLogger("jobplane.job")


@dataclass(frozen=True, slots=True)
class JobInfo:
    """The job that an attempt belongs to."""

    id: UUID
    key: str
    tenant_id: UUID
    source: str
    source_ref: str | None
    artifact_ref: str | None


@dataclass(frozen=True, slots=True)
class JobLog:
    """Log lines with the ids of the attempt on each; further facts are keyword arguments."""

    ids: dict[str, object]

    def debug(self, message: str, **facts: object) -> None:
        self._write(logging.DEBUG, message, facts)

    def info(self, message: str, **facts: object) -> None:
        self._write(logging.INFO, message, facts)

    def warning(self, message: str, **facts: object) -> None:
        self._write(logging.WARNING, message, facts)

    def error(self, message: str, **facts: object) -> None:
        self._write(logging.ERROR, message, facts)

    def exception(self, message: str, **facts: object) -> None:
        """An error with the traceback of the exception that is being handled."""
        self._write(logging.ERROR, message, facts, exc_info=True)

    def _write(self, level: int, message: str, facts: dict[str, object], *, exc_info: bool = False) -> None:
        shown = "".join(f" {name}={value!r}" for name, value in facts.items())
        _LOGGER.log(level, "%s%s", message, shown, extra={**self.ids, "facts": facts}, exc_info=exc_info, stacklevel=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The first parameter of a handler. In an `async def` handler `progress` and `checkpoint` are awaited."""

    job: JobInfo
    attempt: int
    attempts_left: int
    scheduled_for: datetime
    correlation_id: str | None
    trace_context: str | None
    deadline: datetime | None
    log: JobLog
    _desk: Desk = field(repr=False)

    @property
    def tenant_id(self) -> UUID:
        return self.job.tenant_id

    @property
    def is_canceled(self) -> bool:
        """Whether the last word from the store was to stop; `checkpoint` asks it."""
        return self._desk.is_canceled

    def progress(self, share: float) -> Awaitable[None]:
        """Say how far the work has come, from 0 to 1; it prolongs the lease."""
        return self._desk.note(share)

    def checkpoint(self) -> Awaitable[None]:
        """Prolong the lease; raise if the job is canceled, the lease is gone or the deadline has passed."""
        return self._desk.check()
