"""A lease as a call of its handler."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from jobplane.api.context import Context, JobInfo, JobLog
from jobplane.api.definition import CodeDefinition
from jobplane.api.desk import Desk, Heritage, Line
from jobplane.core.model import Lease


@dataclass(frozen=True, slots=True)
class Run:
    """One attempt that is ready to be called."""

    lease: Lease
    function: Callable[..., object]
    arguments: dict[str, object]
    context: Context
    desk: Desk
    heritage: Heritage
    takes_context: bool

    def start(self) -> object:
        """Call the handler; of an `async def` one this is the coroutine."""
        given = (self.context,) if self.takes_context else ()
        return self.function(*given, **self.arguments)


def prepare(definition: CodeDefinition, lease: Lease, line: Line, *, plane: object) -> Run:
    """Judge and convert the payload; raises InvalidPayload where it no longer fits."""
    signature = definition.signature
    arguments = signature.arguments(lease.payload)
    deadline = _deadline(lease)
    desk = Desk(line, deadline)
    return Run(
        lease=lease,
        function=definition.function,
        arguments=arguments,
        context=_context(lease, desk, deadline),
        desk=desk,
        heritage=Heritage(plane, lease.tenant_id, lease.correlation_id, lease.trace_context),
        takes_context=signature.takes_context,
    )


def _context(lease: Lease, desk: Desk, deadline: datetime | None) -> Context:
    return Context(
        job=_job(lease),
        attempt=lease.attempt_no,
        attempts_left=lease.attempts_left,
        scheduled_for=lease.scheduled_for,
        correlation_id=lease.correlation_id,
        trace_context=lease.trace_context,
        deadline=deadline,
        log=JobLog(_ids(lease)),
        _desk=desk,
    )


def _job(lease: Lease) -> JobInfo:
    return JobInfo(
        lease.job_id, lease.definition_key, lease.tenant_id, lease.source, lease.source_ref, lease.artifact_ref
    )


def _deadline(lease: Lease) -> datetime | None:
    if lease.timeout_seconds is None:
        return None
    return datetime.now(UTC) + timedelta(seconds=lease.timeout_seconds)


def _ids(lease: Lease) -> dict[str, object]:
    return {
        "job_id": str(lease.job_id),
        "tenant_id": str(lease.tenant_id),
        "definition_key": lease.definition_key,
        "attempt_no": lease.attempt_no,
    }
