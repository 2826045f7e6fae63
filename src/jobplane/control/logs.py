"""A tenant's logs: read to their end, followed while a job runs, searched."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from jobplane.control.access import Access, refuse_narrowed
from jobplane.control.jobs import Jobs
from jobplane.control.waiting import PASSING, Outage, Sleep
from jobplane.core.bounds import show
from jobplane.core.errors import Invalid, StoreError
from jobplane.core.lifecycle import ENDED
from jobplane.core.logs import Findings, LogLevel, LogLine
from jobplane.core.model import Job, JobStatus
from jobplane.core.paging import Page
from jobplane.store.verbs.jobs import GetJobs, ReadLogs, SearchLogs

# A worker sends what is new every 250 ms while somebody follows.
_SOON: Final = 0.2
_LATER: Final = 1.0


class Logs:
    """The logs of one tenant's jobs."""

    def __init__(self, access: Access, tenant: UUID, jobs: Jobs) -> None:
        self._access = access
        self._tenant = tenant
        self._jobs = jobs

    async def page(
        self, job_id: UUID, *, after: tuple[int, int] = (0, 0), limit: int = 1000, follow: bool = False
    ) -> Page[LogLine, tuple[int, int]]:
        """A page of the lines of a job after (attempt_no, line), in order."""
        await self._jobs.require(job_id)
        return await self._access.run("readLogs", ReadLogs(self._tenant, job_id, after, limit, follow))

    async def read(
        self,
        job_id: UUID,
        *,
        follow: bool = False,
        attempt: int | None = None,
        after: tuple[int, int] | None = None,
        sleep: Sleep,
    ) -> AsyncIterator[LogLine]:
        """The lines of a job in order, of all attempts or of one; with `follow`, until the job has ended."""
        reading = Reading(attempt, follow, after)
        while not reading.is_over:
            try:
                page = await self.page(job_id, after=reading.after, follow=follow)
                for line in reading.take(page):
                    yield line
                jobs = await self._access.run("readLogs", GetJobs(self._tenant, [job_id])) if reading.looks else None
                pause = 0 if jobs is None else reading.look(jobs)
            except PASSING as error:
                pause = reading.bear(error)
            await sleep(pause)

    async def search(
        self,
        text: str,
        *,
        definitions: Sequence[str] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        level: LogLevel | None = None,
        job: UUID | None = None,
        limit: int = 100,
    ) -> Findings:
        """Lines with all words of the text, those of the newest jobs first; `level` is the lowest wanted.

        From `since` on, and before `until`.
        """
        if isinstance(definitions, str):
            raise Invalid(f"The definitions must be a list, not one text. Write [{show(definitions)}].")
        if job is None:
            refuse_narrowed(self._access.caller)
        else:
            await self._jobs.require(job)
        verb = SearchLogs(self._tenant, text, definitions, since, until, level, job, limit)
        return await self._access.run("searchLogs", verb)


class Reading:
    """Where a reader is; of one attempt, or of all."""

    def __init__(self, attempt: int | None, follow: bool, after: tuple[int, int] | None = None) -> None:
        if attempt is not None and (not isinstance(attempt, int) or attempt < 1):  # pyright: ignore[reportUnnecessaryIsInstance] callers without a checker
            raise Invalid(f"The attempt must be a whole number from 1 on, not {show(attempt)}.")
        self._attempt = attempt
        self._follow = follow
        self._ended = False
        self._outage = Outage()
        self.after = max(after or (0, 0), (attempt or 0, 0))
        self.is_over = False
        self.looks = False  # whether to look next what has become of the job

    def take(self, page: Page[LogLine, tuple[int, int]]) -> list[LogLine]:
        """The lines of a page that are asked for."""
        self._outage.is_over()
        lines, at_end = page.items, page.next_cursor is None
        ours = [line for line in lines if self._attempt in (None, line.attempt_no)]
        if lines:
            self.after = lines[-1].attempt_no, lines[-1].line
        # What an attempt wrote is there before its end is: after a look that found the end, one page more is all.
        self.is_over = len(ours) < len(lines) or (at_end and (self._ended or not self._follow))
        self.looks = at_end and not self.is_over
        return ours

    def look(self, found: Sequence[Job]) -> float:
        """See whether there is anything to wait for, and how long until the next page."""
        self._ended = not found or self._has_ended(found[0])
        if self._ended:
            return 0
        return _SOON if found[0].status is JobStatus.RUNNING else _LATER

    def bear(self, error: StoreError) -> float:
        """Seconds until the next page is read. A caller that follows a job also waits for its database."""
        if not self._follow:
            raise error
        return self._outage.bear(error)

    def _has_ended(self, job: Job) -> bool:
        if self._attempt is None or job.attempt_no < self._attempt:
            return job.status in ENDED
        return job.attempt_no > self._attempt or job.status is not JobStatus.RUNNING
