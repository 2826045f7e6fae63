"""Everything that may be said about one job beside its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, TypedDict, Unpack
from uuid import UUID

from jobplane.core.errors import Invalid
from jobplane.core.model import Document, NewJob, OnDuplicate
from jobplane.execution.desk import inherited

Tenant = UUID | str


class OptionFields(TypedDict, total=False):
    """The keyword arguments of `.options(…)`."""

    tenant: Tenant | None
    conn: object
    id: UUID | None
    queue: str | None
    priority: int | None
    scheduled_for: datetime | None
    delay: float | timedelta | None
    expires_at: datetime | None
    dedupe_key: str | None
    on_duplicate: OnDuplicate | Literal["return", "replace", "postpone"] | None
    idempotency_key: str | None
    correlation_id: str | None
    tags: Sequence[str] | None
    metadata: Document | None
    source: str | None
    source_ref: str | None
    created_by: str | None
    trace_context: str | None
    artifact_ref: str | None
    max_attempts: int | None
    timeout_seconds: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The same, as a value; None is the definition's own, or what the running job passes on."""

    tenant: Tenant | None = None
    conn: object = None
    id: UUID | None = None
    queue: str | None = None
    priority: int | None = None
    scheduled_for: datetime | None = None
    delay: float | timedelta | None = None
    expires_at: datetime | None = None
    dedupe_key: str | None = None
    on_duplicate: OnDuplicate | Literal["return", "replace", "postpone"] | None = None
    idempotency_key: str | None = None
    correlation_id: str | None = None
    tags: Sequence[str] | None = None
    metadata: Document | None = None
    source: str | None = None
    source_ref: str | None = None
    created_by: str | None = None
    trace_context: str | None = None
    artifact_ref: str | None = None
    max_attempts: int | None = None
    timeout_seconds: int | None = None

    def but(self, **changes: Unpack[OptionFields]) -> Options:
        """These with some changed; two `.options` in a row add up."""
        return replace(self, **changes)

    def inherited(self, plane: object) -> Options:
        """What the running handler's job passes on filled in; a tenant only within the same database."""
        job = inherited()
        if job is None:
            return self
        return replace(
            self,
            tenant=job.tenant_id if self.tenant is None and job.plane is plane else self.tenant,
            correlation_id=job.correlation_id if self.correlation_id is None else self.correlation_id,
            trace_context=job.trace_context if self.trace_context is None else self.trace_context,
        )

    def new_job(self, definition: str, payload: Document) -> NewJob:
        """A request for the store."""
        return NewJob(
            definition=definition,
            payload=payload,
            id=self.id,
            queue=self.queue,
            priority=self.priority,
            scheduled_for=self.scheduled_for,
            delay_seconds=seconds_of(self.delay),
            expires_at=self.expires_at,
            dedupe_key=self.dedupe_key,
            on_duplicate=_on_duplicate(self.on_duplicate),
            idempotency_key=self.idempotency_key,
            correlation_id=self.correlation_id,
            tags=self.tags,
            metadata=self.metadata,
            source=self.source,
            source_ref=self.source_ref,
            created_by=self.created_by,
            trace_context=self.trace_context,
            artifact_ref=self.artifact_ref,
            max_attempts=self.max_attempts,
            timeout_seconds=self.timeout_seconds,
        )


NO_OPTIONS = Options()


def seconds_of(delay: float | timedelta | None) -> float | None:
    return delay.total_seconds() if isinstance(delay, timedelta) else delay


def _on_duplicate(value: str | None) -> OnDuplicate | None:
    if value is None:
        return None
    try:
        return OnDuplicate(value)
    except ValueError:
        raise Invalid("on_duplicate must be return, replace or postpone") from None
