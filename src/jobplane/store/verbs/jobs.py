"""A tenant's verbs on its jobs and their logs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from jobplane.core.explanation import Explanation
from jobplane.core.logs import Findings, LogLevel, LogLine
from jobplane.core.model import Activity, Attempt, Document, Enqueued, Job, JobFilter, Json, Moved, NewJob, Summary
from jobplane.core.outputs import CommandOutput
from jobplane.core.paging import Count, Page
from jobplane.core.problems import Finding
from jobplane.store.verbs.verb import JobVerb

ANY: Final = JobFilter()
# The fields of a waiting job that an edit may change.
EDITABLE: Final = ("payload", "priority", "queue", "max_attempts", "timeout_seconds", "expires_at", "tags", "metadata")


@dataclass(frozen=True, slots=True)
class Enqueue(JobVerb[list[Enqueued]]):
    """Take jobs in. One answer for each, in the same order; a duplicate or a bad job does not sink the others."""

    tenant: UUID
    jobs: Sequence[NewJob]


@dataclass(frozen=True, slots=True)
class Cancel(JobVerb[list[Moved]]):
    """End waiting jobs at once; ask running ones to stop."""

    tenant: UUID
    ids: Sequence[UUID]
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class RetryJobs(JobVerb[list[Moved]]):
    """Give ended jobs a fresh budget; a person's decision."""

    tenant: UUID
    ids: Sequence[UUID]
    max_attempts: int | None = None


@dataclass(frozen=True, slots=True)
class Reschedule(JobVerb[list[Moved]]):
    """Set another time for waiting jobs."""

    tenant: UUID
    ids: Sequence[UUID]
    at: datetime | None = None
    delay_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Edit(JobVerb[Moved]):
    """Change a waiting job: the fields of EDITABLE."""

    tenant: UUID
    job_id: UUID
    changes: Document


@dataclass(frozen=True, slots=True)
class GetJobs(JobVerb[list[Job]]):
    """Whole jobs in the order asked for, each once. Unknown ids and those of other tenants are left out.

    At most 1,000 different ids.
    """

    tenant: UUID
    ids: Sequence[UUID]


@dataclass(frozen=True, slots=True)
class ListJobs(JobVerb[Page[Job, int]]):
    """A page of jobs, the newest first. `cursor` is that of the former page, or the id of its last job."""

    tenant: UUID
    where: JobFilter = ANY
    limit: int = 50
    cursor: int | UUID | None = None
    offset: int = 0


@dataclass(frozen=True, slots=True)
class CountJobs(JobVerb[Count]):
    """How many jobs a list would show, up to 10,000. What no index serves is counted among the newest 10,000 jobs."""

    tenant: UUID
    where: JobFilter = ANY


@dataclass(frozen=True, slots=True)
class ListAttempts(JobVerb[Page[Attempt, int]]):
    """The attempts of a job, the newest first, the running one included."""

    tenant: UUID
    job_id: UUID
    limit: int = 100
    before: int | None = None


@dataclass(frozen=True, slots=True)
class GetOutput(JobVerb[CommandOutput | None]):
    """The resource use and the last output of a command in one attempt; None if the attempt ran no command."""

    tenant: UUID
    job_id: UUID
    attempt_no: int


@dataclass(frozen=True, slots=True)
class GetResult(JobVerb[Json]):
    """The return value of a job; None while there is none."""

    tenant: UUID
    job_id: UUID


@dataclass(frozen=True, slots=True)
class Summarize(JobVerb[Summary]):
    """Counts by status, and the age of the oldest due job."""

    tenant: UUID


@dataclass(frozen=True, slots=True)
class FindActivity(JobVerb[Activity]):
    """What the jobs of the tenant do now, and how many failed in the last hour."""

    tenant: UUID


@dataclass(frozen=True, slots=True)
class Explain(JobVerb[Explanation]):
    """Why a job waits, runs or has ended. A waiting job is explained by every gate of the claim, open or shut."""

    tenant: UUID
    job_id: UUID


@dataclass(frozen=True, slots=True)
class FindProblems(JobVerb[list[Finding]]):
    """What keeps jobs of the tenant from running, or makes them fail."""

    tenant: UUID


@dataclass(frozen=True, slots=True)
class ReadLogs(JobVerb[Page[LogLine, tuple[int, int]]]):
    """Log lines of a job after (attempt_no, line), in order.

    With `follow`, the job's worker sends new lines at once for five seconds.
    """

    tenant: UUID
    job_id: UUID
    after: tuple[int, int] = (0, 0)
    limit: int = 1000
    follow: bool = False


@dataclass(frozen=True, slots=True)
class SearchLogs(JobVerb[Findings]):
    """Log lines with all words of the text, those of the newest jobs first; `level` is the lowest wanted.

    From `since` on, and before `until`.
    """

    tenant: UUID
    text: str
    definitions: Sequence[str] | None = None
    since: datetime | None = None
    until: datetime | None = None
    level: LogLevel | None = None
    job: UUID | None = None
    limit: int = 100


@dataclass(frozen=True, slots=True)
class FindTenant(JobVerb[UUID]):
    """The id of the tenant with this slug."""

    slug: str
