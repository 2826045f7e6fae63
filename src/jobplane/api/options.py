"""Everything that may be said about one job beside its arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, Literal, TypedDict, Unpack
from uuid import UUID

from jobplane.api.hints import explain_unknown_option
from jobplane.core.errors import Invalid
from jobplane.core.model import Document, NewJob, OnDuplicate
from jobplane.execution.running import current, find_inherited

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


@dataclass(frozen=True, slots=True)
class Options:
    """The same, as a value: `fields` has those of a NewJob. None is the definition's own, or the running job's."""

    tenant: Tenant | None = None
    conn: object = None
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def replace(self, **changes: Unpack[OptionFields]) -> Options:
        """These with some changed; two `.options` in a row add up."""
        if unknown := changes.keys() - OPTION_NAMES:
            raise TypeError(explain_unknown_option(unknown, OPTION_NAMES))
        given: dict[str, Any] = {**changes}
        tenant, conn = given.pop("tenant", self.tenant), given.pop("conn", self.conn)
        if "delay" in given:
            given["delay_seconds"] = seconds_of(given.pop("delay"))
        return Options(tenant, conn, {**self.fields, **given})

    def inherit(self, plane: object) -> Options:
        """What the running handler's job passes on filled in; a tenant only within the same database."""
        if current.get() is None or (job := find_inherited()) is None:
            return self
        tenant = job.tenant_id if self.tenant is None and job.plane is plane else self.tenant
        passed = {"correlation_id": job.correlation_id, "trace_context": job.trace_context}
        given = {name: value for name, value in self.fields.items() if value is not None}
        return Options(tenant, self.conn, passed | given)

    def new_job(self, definition: str, payload: Document) -> NewJob:
        """A request for the store."""
        job = NewJob(definition=definition, payload=payload, **self.fields)
        if job.on_duplicate is not None:
            job.on_duplicate = _on_duplicate(job.on_duplicate)
        return job


OPTION_NAMES: Final = OptionFields.__annotations__.keys()
NO_OPTIONS: Final = Options()


def seconds_of(delay: float | timedelta | None) -> float | None:
    return delay.total_seconds() if isinstance(delay, timedelta) else delay


def _on_duplicate(value: str) -> OnDuplicate:
    try:
        return OnDuplicate(value)
    except ValueError:
        raise Invalid("The on_duplicate must be return, replace or postpone.") from None
