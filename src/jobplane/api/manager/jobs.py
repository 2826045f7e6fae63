"""Jobs: create, look at and cancel them."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from jobplane.api.manager.answers import require_enqueued, was_canceled
from jobplane.api.manager.names import key, lane
from jobplane.api.manager.record import JobRecord, record
from jobplane.api.manager.registry import ManagerRegistry
from jobplane.api.manager.request import owner_metadata, status
from jobplane.core.bounds import INT, whole
from jobplane.core.errors import JobNotFound
from jobplane.core.model import DEFAULT_TENANT, Job, JobFilter, JobStatus, NewJob
from jobplane.store.base import Store
from jobplane.store.verbs.jobs import Cancel, Enqueue, GetJobs, ListAttempts, ListJobs

_PAGE: Final = 1000


class ManagedJobs:
    """What any process may do with a job, whether it works on it or not."""

    def __init__(self, store: Store, registry: ManagerRegistry) -> None:
        self._store = store
        self._registry = registry

    async def create(self, job: NewJob) -> JobRecord:
        """Take it in, and answer with it as it is then: the new one, or the one that has its key."""
        judge = await self._registry.register(job.definition, job.queue or "")
        if judge is not None:
            judge.check(job.payload)
        [answer] = await self._store.run(Enqueue(DEFAULT_TENANT, [job]))
        job_id = require_enqueued(answer, job.definition)
        found = await self.get(job_id)
        if found is None:
            raise JobNotFound(f"Job {job_id} was removed right after it was created.")
        return found

    async def get(self, job_id: UUID) -> JobRecord | None:
        jobs = await self._store.run(GetJobs(DEFAULT_TENANT, [job_id]))
        return await self._record(jobs[0]) if jobs else None

    async def _record(self, job: Job) -> JobRecord:
        return record(job, was_waiting=await self._was_waiting(job))

    async def _was_waiting(self, job: Job) -> bool:
        """Return true if a canceled job waited for a retry: its last attempt did not end it."""
        if job.status is not JobStatus.CANCELED or job.attempts == 0:
            return False
        try:
            found = (await self._store.run(ListAttempts(job.tenant_id, job.id, limit=1))).items
        except JobNotFound:  # it was removed meanwhile
            return False
        return bool(found) and found[0].led_to is not JobStatus.CANCELED

    async def cancel(self, job_id: UUID, reason: str | None) -> bool:
        [answer] = await self._store.run(Cancel(DEFAULT_TENANT, [job_id], reason=reason))
        return was_canceled(answer)

    async def find(
        self,
        domain: str | None,
        queue: str | None,
        job_type: str | None,
        wanted: JobStatus | str | None,
        owner_user_id: str | int | None,
        project_id: int | None,
        limit: int,
    ) -> list[JobRecord]:
        """Those that fit, the newest first."""
        statuses = None if wanted is None else [status(wanted)]
        metadata = owner_metadata(owner_user_id, project_id) or None
        whole("limit", limit, 1, INT)
        if domain is not None and queue is not None and job_type is None:
            where = JobFilter(queues=[lane(domain, queue)], statuses=statuses, metadata=metadata)
            return await self._pages(where, limit)
        keys = await self._keys(domain, queue, job_type)
        where = JobFilter(definitions=keys, statuses=statuses, metadata=metadata)
        return await self._pages(where, limit) if keys else []

    async def _keys(self, domain: str | None, queue: str | None, job_type: str | None) -> list[str]:
        if domain is not None and queue is not None and job_type is not None:
            return [key(domain, queue, job_type)]
        return await self._registry.keys(domain, queue, job_type)

    async def _pages(self, where: JobFilter, limit: int) -> list[JobRecord]:
        """Page after page; one that is not full may still be followed by others, where the look stopped early."""
        found: list[JobRecord] = []
        cursor: int | None = None
        while len(found) < limit:
            wanted = min(limit - len(found), _PAGE)
            page = await self._store.run(ListJobs(DEFAULT_TENANT, where, limit=wanted, cursor=cursor))
            found += [await self._record(job) for job in page.items]
            cursor = page.next_cursor
            if cursor is None:
                break
        return found
