"""A tenant's jobs: what every caller may do with them, over any store."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from jobplane.control.answers import require_moved
from jobplane.control.paging import walk
from jobplane.control.waiting import PASSING, Outage, Sleep, pauses, too_long
from jobplane.core.errors import IllegalMove, JobNotFound
from jobplane.core.lifecycle import ENDED
from jobplane.core.model import Attempt, Document, Enqueued, Job, JobFilter, Json, Moved, NewJob, Summary
from jobplane.core.paging import Page
from jobplane.store.base import Store
from jobplane.store.verbs.jobs import (
    ANY,
    Cancel,
    Edit,
    Enqueue,
    GetJobs,
    GetResult,
    ListAttempts,
    ListJobs,
    Reschedule,
    RetryJobs,
    Summarize,
)

# What a new job takes over from the one that it runs again. Its keys stay behind: they name that one request.
_KEPT: Final = ("queue", "priority", "correlation_id", "tags", "metadata", "artifact_ref", "max_attempts")


class Jobs:
    """The jobs of one tenant. `conn` runs a call in the caller's own transaction."""

    def __init__(self, store: Store, tenant: UUID) -> None:
        self._store = store
        self._tenant = tenant

    async def enqueue(self, jobs: Sequence[NewJob], *, conn: Any = None) -> list[Enqueued]:
        """Take jobs in, one answer for each in the same order; a refused job does not sink the others."""
        return await self._store.run(Enqueue(self._tenant, jobs), conn=conn)

    async def get(self, job_id: UUID, *, conn: Any = None) -> Job:
        """A job as it is now; raises JobNotFound, also where it is another tenant's."""
        for found in await self._store.run(GetJobs(self._tenant, [job_id]), conn=conn):
            return found
        raise JobNotFound(f"there is no job {job_id} of this tenant", job_id=job_id)

    async def list(self, where: JobFilter = ANY, *, limit: int = 50, cursor: int | None = None) -> Page[Job, int]:
        """A page of jobs, the newest first."""
        return await self._store.run(ListJobs(self._tenant, where, limit, cursor))

    def walk(self, where: JobFilter = ANY, *, page_size: int = 100) -> AsyncIterator[Job]:
        """All jobs, the newest first; a page is fetched when it is needed."""
        return walk(lambda cursor: self.list(where, limit=page_size, cursor=cursor))

    async def cancel(self, job_id: UUID, *, reason: str | None = None, conn: Any = None) -> Moved:
        """End a waiting job at once, ask a running one to stop; a job that has ended stays as it is."""
        return require_moved((await self._store.run(Cancel(self._tenant, [job_id], reason), conn=conn))[0])

    async def retry(self, job_id: UUID, *, max_attempts: int | None = None, conn: Any = None) -> Moved:
        """Give a job that has failed, died or been canceled a fresh budget."""
        return require_moved((await self._store.run(RetryJobs(self._tenant, [job_id], max_attempts), conn=conn))[0])

    async def reschedule(
        self, job_id: UUID, *, at: datetime | None = None, delay_seconds: float | None = None
    ) -> Moved:
        """Set another time for a waiting job."""
        return require_moved((await self._store.run(Reschedule(self._tenant, [job_id], at, delay_seconds)))[0])

    async def edit(self, job_id: UUID, changes: Document) -> Moved:
        """Change a waiting job."""
        return require_moved(await self._store.run(Edit(self._tenant, job_id, changes)))

    async def run_again(self, job_id: UUID, *, payload: Document | None = None) -> tuple[Job, Enqueued]:
        """Make a new job from one that has ended, with its payload or another. `source_ref` names the old job.

        Answers the old job, and what became of the new one.
        """
        old = await self.get(job_id)
        if old.status not in ENDED:
            message = f"Job {job_id} is {old.status}. Only a job that has ended can run again."
            raise IllegalMove(message, job_id=job_id, status=old.status)
        kept = {name: getattr(old, name) for name in _KEPT}
        new = NewJob(
            definition=old.definition_key,
            payload=old.payload if payload is None else payload,
            timeout_seconds=old.timeout_seconds,
            source_ref=str(job_id),
            **kept,
        )
        [answer] = await self.enqueue([new])
        return old, answer

    async def attempts(self, job_id: UUID, *, limit: int = 100, before: int | None = None) -> Page[Attempt, int]:
        """A page of the attempts of a job, the newest first, the running one included."""
        return await self._store.run(ListAttempts(self._tenant, job_id, limit, before))

    def walk_attempts(self, job_id: UUID) -> AsyncIterator[Attempt]:
        """All attempts of a job, the newest first."""
        return walk(lambda cursor: self.attempts(job_id, before=cursor))

    async def result(self, job_id: UUID) -> Json:
        """The return value of a job; None while there is none."""
        return await self._store.run(GetResult(self._tenant, job_id))

    async def summary(self) -> Summary:
        """Counts by status, and the age of the oldest due job."""
        return await self._store.run(Summarize(self._tenant))

    async def wait(self, job_id: UUID, *, timeout: float | None, sleep: Sleep) -> Job:  # noqa: ASYNC109
        """The job once it has ended, however it ended; raises TimeoutError."""
        outage = Outage()
        for pause in pauses(timeout):
            try:
                found = await self.get(job_id)
            except PASSING as error:
                outage.bear(error)
            else:
                outage.is_over()
                if found.status in ENDED:
                    return found
            await sleep(pause)
        raise outage.error or too_long(job_id, timeout)
