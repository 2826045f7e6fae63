"""The verbs of whoever runs the installation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from jobplane.core.audit import AuditCheck, AuditEntry, AuditFilter
from jobplane.core.changes import Marks
from jobplane.core.database import DatabaseFacts
from jobplane.core.model import (
    Activity,
    Definition,
    Document,
    Job,
    JobFilter,
    Queue,
    Summary,
    Tenant,
    TenantDepth,
    Worker,
)
from jobplane.core.paging import Count, Page
from jobplane.core.problems import Finding
from jobplane.store.verbs.jobs import ANY
from jobplane.store.verbs.verb import OperatorVerb

EVERYTHING: Final = AuditFilter()


@dataclass(frozen=True, slots=True)
class CreateTenant(OperatorVerb[Tenant]):
    """Make a tenant."""

    slug: str
    name: str = ""
    weight: int = 1
    max_in_flight: int | None = None
    max_pending: int | None = None
    tenant_id: UUID | None = None
    timezone: str = "UTC"


@dataclass(frozen=True, slots=True)
class SetTenant(OperatorVerb[Tenant]):
    """Change slug, name, timezone, weight or limits; None takes a limit away."""

    tenant: UUID
    changes: Document


@dataclass(frozen=True, slots=True)
class PauseTenants(OperatorVerb[list[UUID]]):
    """Start none of their jobs from now on. Another reason replaces that of a tenant that is paused already."""

    tenants: Sequence[UUID]
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ResumeTenants(OperatorVerb[list[UUID]]):
    """Start their jobs again."""

    tenants: Sequence[UUID]


@dataclass(frozen=True, slots=True)
class ListTenants(OperatorVerb[Page[Tenant, str]]):
    """Tenants in the order of their slugs."""

    limit: int = 100
    after: str = ""


@dataclass(frozen=True, slots=True)
class GetTenant(OperatorVerb[Tenant]):
    """One tenant, by id or slug."""

    tenant: UUID | str


@dataclass(frozen=True, slots=True)
class GetSlugs(OperatorVerb[dict[UUID, str]]):
    """The slugs of tenants by their ids. Unknown ids are left out."""

    ids: Sequence[UUID]


@dataclass(frozen=True, slots=True)
class CountTenants(OperatorVerb[list[TenantDepth]]):
    """What waits, runs and has died of these tenants, counted up to 10,000 each. At most 1,000 tenants."""

    tenants: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class ListDefinitions(OperatorVerb[Page[Definition, str]]):
    """Definitions in the order of their keys.

    Those that were deleted, and those of the system, are left out where none is named by key or id.
    """

    keys: Sequence[str] | None = None
    limit: int = 100
    after: str = ""
    include_system: bool = False
    ids: Sequence[UUID] | None = None


@dataclass(frozen=True, slots=True)
class CreateDefinition(OperatorVerb[Definition]):
    """Make a definition by hand. One that was deleted comes back with its id."""

    document: Document


@dataclass(frozen=True, slots=True)
class ChangeDefinition(OperatorVerb[Definition]):
    """Change a definition by a JSON merge patch; of one from code these values stay when its app syncs.

    `revision`: refuse where it has another one by now.
    """

    definition: UUID | str
    changes: Document
    revision: int | None = None


@dataclass(frozen=True, slots=True)
class DeleteDefinition(OperatorVerb[Definition]):
    """Delete a definition: it takes no more jobs, and is in no list. Its jobs stay."""

    definition: UUID | str
    revision: int | None = None


@dataclass(frozen=True, slots=True)
class PauseQueues(OperatorVerb[list[str]]):
    """Hand out nothing from them from now on. Another reason replaces that of a queue that is paused already."""

    names: Sequence[str]
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ResumeQueues(OperatorVerb[list[str]]):
    """Hand out jobs again."""

    names: Sequence[str]


@dataclass(frozen=True, slots=True)
class ListQueues(OperatorVerb[Page[Queue, str]]):
    """Queues by name."""

    limit: int = 100
    after: str = ""


@dataclass(frozen=True, slots=True)
class GetQueues(OperatorVerb[list[Queue]]):
    """Queues by their names; a name that is not there is left out."""

    names: Sequence[str]


@dataclass(frozen=True, slots=True)
class DeleteQueues(OperatorVerb[list[str]]):
    """Delete queues that nothing uses; the names of those that were there."""

    ids: Sequence[str]


@dataclass(frozen=True, slots=True)
class ListWorkers(OperatorVerb[Page[Worker, str]]):
    """Workers, the latest seen first. There is one page: the order changes with every sign of life."""

    limit: int = 100


@dataclass(frozen=True, slots=True)
class DeleteWorker(OperatorVerb[None]):
    """Forget a worker that has not been seen for a minute. Raises WorkerNotFound and WorkerIsLive."""

    worker_id: str


@dataclass(frozen=True, slots=True)
class ListAllJobs(OperatorVerb[Page[Job, int]]):
    """A page of the jobs of all tenants, the newest first."""

    where: JobFilter = ANY
    limit: int = 50
    cursor: int | UUID | None = None


@dataclass(frozen=True, slots=True)
class CountAllJobs(OperatorVerb[Count]):
    """How many jobs of all tenants a list would show, up to 10,000."""

    where: JobFilter = ANY


@dataclass(frozen=True, slots=True)
class FindJobs(OperatorVerb[list[Job]]):
    """Whole jobs by their ids, of whichever tenant, in the order asked for. At most 200 different ids.

    Tenants may choose ids. If two have chosen the same one, both jobs are answered, the older one first.
    """

    ids: Sequence[UUID]


@dataclass(frozen=True, slots=True)
class SummarizeAll(OperatorVerb[Summary]):
    """The counts of all tenants, each up to 10,000 for every tenant, and the age of the oldest due job."""


@dataclass(frozen=True, slots=True)
class FindAllActivity(OperatorVerb[Activity]):
    """What the jobs of all tenants do now, how many failed in the last hour, and how busy the workers are."""


@dataclass(frozen=True, slots=True)
class FindChanges(OperatorVerb[list[Marks]]):
    """Marks of these tenants, of the first 1,000, and of the installation, which differ when something has changed."""

    tenants: Sequence[UUID]
    all_tenants: bool = False


@dataclass(frozen=True, slots=True)
class InspectDatabase(OperatorVerb[DatabaseFacts]):
    """How large the database is, how many connections it has, and what its tables hold."""


@dataclass(frozen=True, slots=True)
class ListAudit(OperatorVerb[Page[AuditEntry, int]]):
    """What callers did, the newest first, of one tenant or of all. `before` is the cursor of the page before."""

    tenant: UUID | None = None
    where: AuditFilter = EVERYTHING
    limit: int = 100
    before: int | None = None


@dataclass(frozen=True, slots=True)
class VerifyAudit(OperatorVerb[AuditCheck]):
    """Compute a part of the chain again: up to `limit` positions after one."""

    after: int = 0
    limit: int = 1000


@dataclass(frozen=True, slots=True)
class FindAllProblems(OperatorVerb[list[Finding]]):
    """What keeps jobs of any tenant from running, and what is wrong with the installation.

    A snapshot that somebody holds open is found when it is more than `transactions` behind. On PostgreSQL a finding
    with the code `clock` has the time of the database.
    """

    transactions: int = 100_000
