"""The jobs of all tenants, for super admins."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Final
from uuid import UUID

from jobplane.control.access import Access, Role
from jobplane.control.paging import walk
from jobplane.core.errors import Forbidden, Invalid, JobNotFound
from jobplane.core.model import Job, JobFilter, Summary
from jobplane.core.paging import Count, Page
from jobplane.store.verbs.jobs import ANY
from jobplane.store.verbs.operator import CountAllJobs, FindJobs, GetSlugs, ListAllJobs, SummarizeAll

SUMMARY_SECONDS: Final = 5.0


class RecentSummary:
    """The newest summary of all tenants. One for each process: to count takes longer than a request may."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._summary: Summary | None = None
        self._until = 0.0

    async def get(self, access: Access) -> Summary:
        """At most five seconds old. While one call counts, the others get the summary before."""
        now = self._clock()
        if self._summary is not None and now < self._until:
            return self._summary
        was, self._until = self._until, now + SUMMARY_SECONDS
        try:
            self._summary = await access.run("summarizeJobs", SummarizeAll())
        except BaseException:
            self._until = was
            raise
        return self._summary


class AllJobs:
    """The jobs of an installation. Only a super admin may see them, whatever the role of one tenant may."""

    def __init__(self, access: Access, recent: RecentSummary) -> None:
        self._access = access
        self._recent = recent

    async def list(
        self, where: JobFilter = ANY, *, limit: int = 50, cursor: int | UUID | None = None, offset: int = 0
    ) -> Page[Job, int]:
        """A page of jobs, the newest first. `cursor` is that of the former page, or the id of its last job."""
        self._require()
        if offset:
            raise Invalid("Jobs of all tenants have no offset. Use cursor, or name a tenant.", pointer="query offset")
        return await self._access.run("listJobs", ListAllJobs(where, limit, cursor))

    async def count(self, where: JobFilter = ANY) -> Count:
        """How many jobs a list would show, up to 10,000."""
        self._require()
        return await self._access.run("listJobs", CountAllJobs(where))

    async def slugs(self, jobs: Sequence[Job]) -> Mapping[UUID, str]:
        """The slugs of the tenants of listed jobs."""
        self._require()
        return await self._access.run("listJobs", GetSlugs(list({job.tenant_id for job in jobs})))

    async def last_before(self, cursor: int) -> UUID | None:
        """The id of the newest job at or before the place where a list has stopped."""
        found = await self._access.run("listJobs", ListAllJobs(limit=1, cursor=cursor + 1))
        return found.items[0].id if found.items else None

    def walk(self, where: JobFilter = ANY, *, page_size: int = 100) -> AsyncIterator[Job]:
        """All jobs, the newest first; a page is fetched when it is needed."""
        return walk(lambda cursor: self.list(where, limit=page_size, cursor=cursor))

    async def get(self, job_id: UUID) -> Job:
        """A job of whichever tenant; raises JobNotFound. If two tenants have chosen this id, it is the older job."""
        self._require()
        for found in await self._access.run("getJob", FindJobs([job_id])):
            return found
        raise JobNotFound(f"There is no job {job_id}.", job_id=job_id)

    async def summary(self) -> Summary:
        """Counts by status over all tenants, at most five seconds old."""
        self._require()
        return await self._recent.get(self._access)

    def _require(self) -> None:
        caller = self._access.caller
        if caller.role is not Role.SUPER_ADMIN or caller.tenant is not None:
            message = (
                f"A key with the role {caller.role} sees one tenant. It takes the role {Role.SUPER_ADMIN} to see all."
            )
            raise Forbidden(message, role=str(caller.role), least_role=str(Role.SUPER_ADMIN))
