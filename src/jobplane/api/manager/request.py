"""What the manager's users pass, judged and put into the store's words."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID

from jobplane.api.manager.names import key, lane
from jobplane.api.manager.record import OWNER, PROJECT
from jobplane.core.admission import require_instant
from jobplane.core.bounds import BIGINT, INT, POLICY, show, whole
from jobplane.core.errors import Invalid
from jobplane.core.model import Document, JobStatus, Json, NewJob

LONGEST_LEASE: Final = 3600
SHORTEST_LEASE: Final = 5
_MOST_RETRIES: Final = 999


def new_job(
    domain: str,
    queue: str,
    job_type: str,
    payload: Document,
    owner_user_id: str | int | None,
    project_id: int | None,
    priority: int,
    max_retries: int,
    idempotency_key: str | None,
    dedupe_key: str | None,
    available_at: datetime | None = None,
) -> NewJob:
    """The request as the store takes it; retries are attempts after the first."""
    if available_at is not None:
        require_instant("available_at", available_at)
    return NewJob(
        definition=key(domain, queue, job_type),
        queue=lane(domain, queue),
        payload=payload,
        priority=whole("priority", priority, *POLICY["priority"]),
        max_attempts=whole("max_retries", max_retries, 0, _MOST_RETRIES) + 1,
        scheduled_for=available_at,
        idempotency_key=idempotency_key,
        dedupe_key=dedupe_key,
        metadata=owner_metadata(owner_user_id, project_id) or None,
    )


def owner_metadata(owner_user_id: object, project_id: object) -> dict[str, Json]:
    """Whose a job is, as metadata. An owner is text, as a number or not: 7 and "7" are the same user."""
    facts: dict[str, Json] = {}
    if owner_user_id is not None:
        if not isinstance(owner_user_id, str | int) or isinstance(owner_user_id, bool) or owner_user_id == "":
            raise Invalid(f"The owner_user_id must be a string or a whole number, not {show(owner_user_id, 80)}.")
        facts[OWNER] = str(owner_user_id)
    if project_id is not None:
        facts[PROJECT] = whole("project_id", project_id, -BIGINT - 1, BIGINT)
    return facts


def identity(job_id: object) -> UUID:
    """The id of a job, as a UUID or as its text."""
    if isinstance(job_id, UUID):
        return job_id
    try:
        return UUID(job_id if isinstance(job_id, str) else "")
    except ValueError:
        raise Invalid(f"The id of a job must be a UUID, not {show(job_id, 80)}.") from None


def lease_seconds(seconds: object, longest: int) -> int:
    """How long a lease is to last: what is asked for, within what the store and the manager allow."""
    asked = whole("seconds of a lease", seconds, 1, INT)
    return min(max(asked, SHORTEST_LEASE), longest)


def longest_lease(seconds: object) -> int:
    """The limit that a manager puts on its leases."""
    return whole("max_lease_seconds", seconds, SHORTEST_LEASE, LONGEST_LEASE)


def status(value: object) -> JobStatus:
    try:
        return JobStatus(value)
    except ValueError:
        raise Invalid(f"The status must be one of {', '.join(JobStatus)}, not {show(value, 80)}.") from None


def worker(worker_id: object) -> str:
    if not isinstance(worker_id, str) or not 1 <= len(worker_id) <= 200:
        raise Invalid("The worker_id must have 1 to 200 characters.")
    return worker_id


def require_order(call: str, outcome: str, worker_id: object, lease_id: object) -> None:
    """Refuse an outcome that stands where the worker or the lease belongs."""
    for name, value in (("worker_id", worker_id), ("lease_id", lease_id)):
        if value is not None and not isinstance(value, str):
            order = f"Pass job_id, worker_id, lease_id, {outcome} to {call} in this order, or by name."
            raise Invalid(f"The {name} must be a string, not {show(value, 80)}. {order}")
