"""What the manager answers: a job under the names that its users know, as a dictionary."""

from __future__ import annotations

from datetime import datetime
from typing import Final, TypedDict
from uuid import UUID

from jobplane.api.manager.names import names
from jobplane.core.model import Document, Job, JobStatus, Json

OWNER: Final = "owner_user_id"
PROJECT: Final = "project_id"


class JobRecord(TypedDict):
    """A job. `lease_id` is there for the worker that has just acquired it and for nobody else.

    `undecodable` names the fields of the job whose stored values cannot be decoded: what is made of them is None.
    """

    id: UUID
    uuid: UUID
    domain: str
    queue: str
    job_type: str
    owner_user_id: str | None
    project_id: int | None
    idempotency_key: str | None
    payload: Document
    result: Json
    status: JobStatus
    priority: int
    max_retries: int
    retry_count: int
    available_at: datetime
    leased_until: datetime | None
    lease_id: str | None
    worker_id: str | None
    acquired_at: datetime | None
    error_message: str | None
    last_error: str | None
    cancel_requested_at: datetime | None
    cancelled_at: datetime | None
    cancellation_reason: str | None
    created_at: datetime
    updated_at: datetime
    completed_at: datetime | None
    undecodable: tuple[str, ...]


class LeaseRecord(TypedDict):
    """A lease that was prolonged; `cancel_requested`: somebody wants the job to stop."""

    id: UUID
    worker_id: str
    lease_id: str
    leased_until: datetime
    cancel_requested: bool


def record(job: Job, lease_id: str | None = None, *, was_waiting: bool = False) -> JobRecord:
    """The whole job; what the store counts as attempts is told as retries.

    `was_waiting`: it was canceled while it waited for a retry, which was counted.
    """
    domain, queue, job_type = names(job.queue or "", job.definition_key or "")
    canceled = job.status is JobStatus.CANCELED
    error = _error(job)
    return JobRecord(
        id=job.id,
        uuid=job.id,
        domain=domain,
        queue=queue,
        job_type=job_type,
        owner_user_id=_owner(job),
        project_id=_project(job),
        idempotency_key=job.idempotency_key,
        payload=job.payload,
        result=job.result,
        status=job.status,
        priority=job.priority,
        max_retries=job.max_attempts - 1,
        retry_count=_retries(job, was_waiting=was_waiting),
        available_at=job.scheduled_for,
        leased_until=job.lease_expires_at,
        lease_id=lease_id,
        worker_id=job.worker_id,
        acquired_at=job.started_at,
        error_message=error,
        last_error=error,
        cancel_requested_at=job.cancel_requested_at,
        cancelled_at=job.canceled_at,
        cancellation_reason=job.reason if canceled else job.cancel_reason,
        created_at=job.created_at,
        updated_at=job.updated_at,
        completed_at=None if canceled else job.finished_at,
        undecodable=job.undecodable,
    )


def _retries(job: Job, *, was_waiting: bool) -> int:
    """The retries of the present budget: each is counted when it is planned, not when it starts."""
    return job.attempts if job.status is JobStatus.QUEUED or was_waiting else max(0, job.attempts - 1)


def _error(job: Job) -> str | None:
    """What the last attempt said; an attempt that was lost says nothing, so the reason of the ending stands in."""
    ended_badly = job.status in (JobStatus.FAILED, JobStatus.DEAD_LETTER)
    return job.error if job.error is not None or not ended_badly else job.reason


def _owner(job: Job) -> str | None:
    owner = (job.metadata or {}).get(OWNER)
    return owner if isinstance(owner, str) else None


def _project(job: Job) -> int | None:
    project = (job.metadata or {}).get(PROJECT)
    return project if isinstance(project, int) else None
