"""The calls of a job manager, each written once for both kinds of store."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from jobplane.api.manager import names
from jobplane.api.manager.jobs import ManagedJobs
from jobplane.api.manager.leases import Leases
from jobplane.api.manager.record import JobRecord, LeaseRecord
from jobplane.api.manager.registry import ManagerRegistry
from jobplane.api.manager.request import identity, lease_seconds, new_job, owner_metadata, require_order, worker
from jobplane.control.waiting import Sleep
from jobplane.core.model import Document, JobStatus, Json, Outcome
from jobplane.store.base import Store


class ManagerCalls:
    """Create, lease, finish and cancel jobs."""

    def __init__(self, store: Store, longest: int, sleep: Sleep) -> None:
        registry = ManagerRegistry(store)
        self._jobs = ManagedJobs(store, registry)
        self._leases = Leases(store, registry, sleep)
        self._longest = longest

    async def create_job(
        self,
        domain: str,
        queue: str,
        job_type: str,
        payload: Document,
        owner_user_id: str | int | None,
        project_id: int | None = None,
        priority: int = 5,
        max_retries: int = 3,
        *,
        idempotency_key: str | None = None,
        dedupe_key: str | None = None,
    ) -> JobRecord:
        """A job that may start at once; a key that is taken gives the job that has it."""
        asked = domain, queue, job_type, payload, owner_user_id, project_id, priority, max_retries
        return await self._jobs.create(new_job(*asked, idempotency_key, dedupe_key))

    async def schedule_job(
        self,
        domain: str,
        queue: str,
        job_type: str,
        payload: Document,
        owner_user_id: str | int | None,
        project_id: int | None = None,
        priority: int = 5,
        max_retries: int = 3,
        *,
        available_at: datetime,
        idempotency_key: str | None = None,
        dedupe_key: str | None = None,
    ) -> JobRecord:
        """A job that may start from `available_at` on, by the database's clock."""
        asked = domain, queue, job_type, payload, owner_user_id, project_id, priority, max_retries
        return await self._jobs.create(new_job(*asked, idempotency_key, dedupe_key, available_at))

    async def get_job(self, job_id: UUID | str) -> JobRecord | None:
        """The job as it is now, None if there is none."""
        return await self._jobs.get(identity(job_id))

    async def get_job_by_uuid(self, uuid: UUID | str) -> JobRecord | None:
        """The same: a job has one id, and it is a UUID."""
        return await self.get_job(uuid)

    async def list_jobs(
        self,
        domain: str | None = None,
        queue: str | None = None,
        job_type: str | None = None,
        status: JobStatus | str | None = None,
        owner_user_id: str | int | None = None,
        project_id: int | None = None,
        *,
        limit: int = 100,
    ) -> list[JobRecord]:
        """Jobs of managers, the newest first; None is any."""
        return await self._jobs.find(domain, queue, job_type, status, owner_user_id, project_id, limit)

    async def acquire_next_job(
        self,
        domain: str,
        queue: str,
        lease_seconds: int,
        worker_id: str,
        owner_user_id: str | int | None = None,
        project_id: int | None = None,
    ) -> JobRecord | None:
        """Lease the most urgent job that is due; None if there is none. With an owner or project it looks at ten."""
        lane, seconds = names.lane(domain, queue), self._seconds(lease_seconds)
        return await self._leases.acquire(lane, worker(worker_id), seconds, owner_metadata(owner_user_id, project_id))

    async def renew_job_lease(
        self, job_id: UUID | str, seconds: int, worker_id: str | None = None, lease_id: str | None = None
    ) -> LeaseRecord:
        """Let a lease end `seconds` from now, never earlier than before; says whether the job is to be canceled."""
        return await self._leases.renew(identity(job_id), self._seconds(seconds), worker_id, lease_id)

    async def complete_job(
        self, job_id: UUID | str, worker_id: str | None = None, lease_id: str | None = None, result: Json = None
    ) -> JobStatus:
        """The attempt succeeded. StaleLease: the lease was not the caller's any more, and nothing changed."""
        require_order("complete_job", "result", worker_id, lease_id)
        return await self._leases.end(identity(job_id), worker_id, lease_id, Outcome.SUCCEEDED, result=result)

    async def fail_job(
        self,
        job_id: UUID | str,
        worker_id: str | None = None,
        lease_id: str | None = None,
        error: str | None = None,
        retryable: bool = True,
    ) -> JobStatus:
        """The attempt failed: queued again while there are retries left, unless no retry can help."""
        require_order("fail_job", "error, retryable", worker_id, lease_id)
        outcome = Outcome.FAILED if retryable else Outcome.FATAL
        return await self._leases.end(identity(job_id), worker_id, lease_id, outcome, error=error)

    async def cancel_job(self, job_id: UUID | str, reason: str | None = None) -> bool:
        """At once if it waits, at the worker's next renewal if it runs; False if it was over before."""
        return await self._jobs.cancel(identity(job_id), reason)

    def _seconds(self, seconds: int) -> int:
        return lease_seconds(seconds, self._longest)
