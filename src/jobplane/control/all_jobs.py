"""The jobs of all tenants, for super admins."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from uuid import UUID

from jobplane.control.access import Access
from jobplane.control.paging import walk
from jobplane.control.recent import Recent
from jobplane.control.searching import search
from jobplane.core.errors import Invalid, JobNotFound
from jobplane.core.model import Job, JobFilter, Overview, Summary
from jobplane.core.paging import Count, Page
from jobplane.store.verbs.jobs import ANY
from jobplane.store.verbs.operator import CountAllJobs, FindAllActivity, FindJobs, GetSlugs, ListAllJobs, SummarizeAll


class AllJobs:
    """The jobs of an installation. Only a super admin may see them, whatever the role of one tenant may."""

    def __init__(self, access: Access, recent: Recent) -> None:
        self._access = access
        self._recent = recent

    async def list(
        self, where: JobFilter = ANY, *, limit: int = 50, cursor: int | UUID | None = None, offset: int = 0
    ) -> Page[Job, int]:
        """A page of jobs, the newest first. `cursor` is that of the former page, or the id of its last job."""
        self._access.caller.require_all_tenants()
        if offset:
            raise Invalid("Jobs of all tenants have no offset. Use cursor, or name a tenant.", pointer="query offset")
        if where.text is None:
            return await self._access.run("listJobs", ListAllJobs(where, limit, cursor))
        return await search(
            lambda most, after: self._access.run("listJobs", ListAllJobs(where, most, after)),
            *(where.text, limit, cursor, 0),
        )

    async def count(self, where: JobFilter = ANY) -> Count:
        """How many jobs a list would show, up to 10,000. A text cannot be counted."""
        self._access.caller.require_all_tenants()
        return await self._access.run("listJobs", CountAllJobs(where))

    async def slugs(self, jobs: Sequence[Job]) -> Mapping[UUID, str]:
        """The slugs of the tenants of listed jobs."""
        self._access.caller.require_all_tenants()
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
        self._access.caller.require_all_tenants()
        for found in await self._access.run("getJob", FindJobs([job_id])):
            return found
        raise JobNotFound(f"There is no job {job_id}.", job_id=job_id)

    async def summary(self) -> Summary:
        """Counts by status over all tenants, at most five seconds old."""
        self._access.caller.require_all_tenants()
        return await self._recent.get(self._access, "summarizeJobs", SummarizeAll())

    async def overview(self) -> Overview:
        """The counts and what jobs do now, over all tenants, at most five seconds old."""
        self._access.caller.require_all_tenants()
        now = await self._recent.get(self._access, "getOverview", FindAllActivity())
        return Overview.of(await self._recent.get(self._access, "getOverview", SummarizeAll()), now)
