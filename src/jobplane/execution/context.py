"""What a handler knows about the attempt that it is, and how it speaks to whoever runs it."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, NamedTuple
from uuid import UUID

from pydantic import SecretBytes, SecretStr

from jobplane.core.traces import trace_id
from jobplane.execution.running import RunningAttempt, current

_BY_TIME: Final = 7  # the version of UUID that a store gives


@dataclass(frozen=True, slots=True)
class JobInfo:
    """The job that an attempt belongs to."""

    id: UUID
    key: str
    tenant_id: UUID
    source: str
    source_ref: str | None
    artifact_ref: str | None
    created_by: str | None


class TriggeredBy(NamedTuple):
    """Who or what started a job: `source` is api, schedule, event and the like, `ref` names which."""

    source: str
    ref: str | None


class JobLog:
    """Lines of the job's own log; further facts are keyword arguments and become the line's fields."""

    __slots__ = ("_attempt",)

    def __init__(self, attempt: RunningAttempt) -> None:
        self._attempt = attempt

    def debug(self, message: str, /, **facts: object) -> None:
        self._attempt.write("debug", message, facts)

    def info(self, message: str, /, **facts: object) -> None:
        self._attempt.write("info", message, facts)

    def warning(self, message: str, /, **facts: object) -> None:
        self._attempt.write("warning", message, facts)

    def error(self, message: str, /, **facts: object) -> None:
        self._attempt.write("error", message, facts)

    def exception(self, message: str, /, **facts: object) -> None:
        """An error with the traceback of the exception that is being handled."""
        self._attempt.write("error", message, facts, exc_info=True)


class Context:
    """The first parameter of a handler.

    `progress` and `checkpoint` act at the call. In an `async def` handler await them to yield to the event loop.
    """

    __slots__ = ("_attempt",)

    def __init__(self, attempt: RunningAttempt) -> None:
        self._attempt = attempt

    def __repr__(self) -> str:
        return f"Context(job={self.job.id}, key={self.job.key!r}, attempt={self.attempt})"

    @property
    def job(self) -> JobInfo:
        job = self._attempt.job
        origin = job.source, job.source_ref, job.artifact_ref, job.created_by
        return JobInfo(job.job_id, job.definition_key, job.tenant_id, *origin)

    @property
    def attempt(self) -> int:
        """Counts from 1, and only grows: also over a person's retry."""
        return self._attempt.job.attempt_no

    @property
    def attempts_left(self) -> int:
        """How many more there are if this one fails."""
        return self._attempt.job.attempts_left

    @property
    def priority(self) -> int:
        """Lower is more urgent."""
        return self._attempt.job.priority

    @property
    def tenant_id(self) -> UUID:
        return self._attempt.job.tenant_id

    @property
    def correlation_id(self) -> str | None:
        return self._attempt.job.correlation_id

    @property
    def trace_context(self) -> str | None:
        """The `traceparent` that the job was enqueued with."""
        return self._attempt.job.trace_context

    @property
    def trace_id(self) -> str:
        """The trace of `trace_context`; without one the job's id in hex, so that there always is one."""
        job = self._attempt.job
        return trace_id(str(job.job_id), job.trace_context)

    @property
    def scheduled_for(self) -> datetime:
        return self._attempt.job.scheduled_for

    @property
    def queued_at(self) -> datetime:
        """When the job was enqueued, to the millisecond: its id begins with that, unless the caller chose another."""
        job = self._attempt.job
        if job.job_id.version != _BY_TIME:
            return job.scheduled_for
        return datetime.fromtimestamp((job.job_id.int >> 80) / 1000, UTC)

    @property
    def trigger_id(self) -> UUID | None:
        """The trigger that made the job, as a schedule does."""
        return self._attempt.job.trigger_id

    @property
    def planned_at(self) -> datetime | None:
        """The planned time of the trigger, whenever the job was made and started."""
        return self._attempt.job.planned_at

    @property
    def late_seconds(self) -> float | None:
        """From the planned time to the start of this attempt; None without a planned time."""
        planned = self._attempt.job.planned_at
        return None if planned is None else max(0.0, (self._attempt.started_at - planned).total_seconds())

    @property
    def triggered_by(self) -> TriggeredBy:
        return TriggeredBy(self._attempt.job.source, self._attempt.job.source_ref)

    @property
    def worker(self) -> str:
        """The id of the worker that runs this."""
        return self._attempt.worker

    @property
    def deadline(self) -> datetime | None:
        """When this attempt has had its `timeout_seconds`."""
        return self._attempt.deadline

    @property
    def is_canceled(self) -> bool:
        """Whether the last word from the store was to cancel it; `checkpoint` raises then."""
        return self._attempt.is_canceled

    @property
    def log(self) -> JobLog:
        return JobLog(self._attempt)

    def progress(self, fraction: float | None = None, message: str | None = None) -> Awaitable[None]:
        """Say how far the work has come, from 0 to 1, and in words; what is left out stays as it was."""
        return self._attempt.note(fraction, message)

    def secret(self, reference: str | SecretStr | SecretBytes) -> str:
        """The value of a secret on this worker: `env:NAME`, or `file:/absolute/path`.

        The worker's policy file must allow it under `secrets`, or under `payload_secrets` where the reference is in the
        job's payload. Raises SecretRefused where it does not, SecretMissing where there is no such secret. The value is
        read at each call, and is masked as `***` in what the handler logs, raises and returns from then on.
        """
        if not isinstance(reference, str):
            hidden = reference.get_secret_value()
            reference = hidden if isinstance(hidden, str) else hidden.decode("utf-8", "replace")
        return self._attempt.find_secret(reference)

    def checkpoint(self) -> Awaitable[None]:
        """Raise if the job is canceled, its lease is gone, its deadline has passed or its worker stops.

        An `async def` handler is also canceled at any `await`. A `def` handler is also interrupted at its deadline; it
        learns of the other reasons only here.
        """
        return self._attempt.check()


def current_context() -> Context | None:
    """The context of the handler that runs here, in code that is not handed it."""
    attempt = current.get()
    return None if attempt is None else Context(attempt)
