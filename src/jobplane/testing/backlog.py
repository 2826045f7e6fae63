"""What is in the database of a test, over all tenants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from jobplane.api.stores import Stores
from jobplane.core.model import Attempt, Job, JobFilter, JobStatus, Outcome, Tenant
from jobplane.store.verbs.jobs import ANY, ListAttempts, ListJobs
from jobplane.store.verbs.operator import ListTenants
from jobplane.testing.clock import Clock
from jobplane.testing.draining import Drained, Ended

_PAGE: Final = 200
_STEPS: Final = 1000
_NAMES: Final = {"tenant_id", "slug"}


@dataclass(frozen=True, slots=True)
class Backlog:
    """Reads as an operator and as every tenant."""

    stores: Stores

    def tenants(self) -> Iterator[Tenant]:
        """Those whose id and slug can be decoded."""
        after: str | None = ""
        while after is not None:
            page = self.stores.get_blocking().run(ListTenants(after=after))
            yield from (one for one in page.items if not _NAMES & {*one.undecodable})
            after = page.next_cursor

    def jobs(self, where: JobFilter = ANY) -> Iterator[Job]:
        for tenant in self.tenants():
            yield from self._jobs_of(tenant.tenant_id, where)

    def list_waiting(self) -> list[Job]:
        """The oldest first."""
        found = self.jobs(JobFilter(statuses=[JobStatus.QUEUED]))
        return sorted(found, key=_age)

    def list_ended(self, before: Mapping[UUID, int]) -> Drained:
        """The attempts that ended since each job had the number of attempts in `before`."""
        jobs = sorted(self.jobs(), key=_age)
        return Drained([one for job in jobs for one in self._list_ended(job, before.get(job.id, 0))])

    def _jobs_of(self, tenant: UUID, where: JobFilter) -> Iterator[Job]:
        cursor = None
        while True:
            page = self.stores.get_blocking().run(ListJobs(tenant, where, _PAGE, cursor))
            yield from page.items
            cursor = page.next_cursor
            if cursor is None:
                return

    def _list_ended(self, job: Job, before: int) -> list[Ended]:
        if job.attempt_no <= before or "id" in job.undecodable:
            return []
        found = self.stores.get_blocking().run(ListAttempts(job.tenant_id, job.id)).items
        return [
            _make_ended(job, one, one.outcome) for one in reversed(found) if one.attempt_no > before and one.outcome
        ]


def _age(job: Job) -> tuple[bool, datetime, str]:
    """The oldest first; what does not say when it was enqueued comes last."""
    is_unknown = "created_at" in job.undecodable
    return is_unknown, datetime.max.replace(tzinfo=UTC) if is_unknown else job.created_at, str(job.id)


def _make_ended(job: Job, attempt: Attempt, outcome: Outcome) -> Ended:
    return Ended(job, attempt.attempt_no, outcome, attempt.reason, attempt.error)


def move_clock(clock: Clock, waiting: Callable[[], Sequence[Job]]) -> Iterator[None]:
    """Move the clock to the next time at which one of them comes due, until none does."""
    for _ in range(_STEPS):
        now = clock.now()
        times = [job.scheduled_for for job in waiting() if "scheduled_for" not in job.undecodable]
        due = [at for at in times if at > now]
        if not due:
            return
        clock.move_to(min(due))
        yield
    raise AssertionError(f"Jobs come due without end: the clock was moved {_STEPS} times to the next one.")
