"""The protocol of every store: one method for each verb, each over a list, each safe to repeat."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, Protocol
from uuid import UUID

from jobplane.core.lines import Findings, LogLevel, LogLine, NewLogLine
from jobplane.core.model import (
    Attempt,
    Claimed,
    Definition,
    Document,
    DueChores,
    Enqueued,
    HeldSnapshot,
    Job,
    JobFilter,
    Json,
    Lease,
    Moved,
    NewJob,
    NewWorker,
    Page,
    Queue,
    Renewed,
    Settled,
    Settlement,
    Summary,
    Tenant,
    Worker,
)

Driver = Literal["apsw", "stdlib"]  # which SQLite a process has; two of them would break each other's locks


class Conn(Protocol):
    """A connection that an application lends, inside its own transaction; a statement has the store's placeholders."""

    def rows(self, statement: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
        """Run one statement and fetch what it returns; commits and rolls back nothing."""
        ...


class AsyncConn(Protocol):
    """The same, of an application with an event loop."""

    async def rows(self, statement: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]: ...


class Store(Protocol):
    """What the control layer asks of a database. A tenant's verbs see that tenant alone."""

    # A tenant's jobs

    async def enqueue(self, tenant: UUID, jobs: Sequence[NewJob], *, conn: AsyncConn | None = None) -> list[Enqueued]:
        """Take jobs in, one answer for each in the same order; a duplicate or a bad one does not sink the others."""
        ...

    async def cancel(
        self, tenant: UUID, ids: Sequence[UUID], *, reason: str | None = None, conn: AsyncConn | None = None
    ) -> list[Moved]:
        """End waiting jobs at once, ask running ones to stop."""
        ...

    async def retry(
        self, tenant: UUID, ids: Sequence[UUID], *, max_attempts: int | None = None, conn: AsyncConn | None = None
    ) -> list[Moved]:
        """Give ended jobs a fresh budget; a person's decision."""
        ...

    async def reschedule(
        self, tenant: UUID, ids: Sequence[UUID], *, at: datetime | None = None, delay_seconds: float | None = None
    ) -> list[Moved]:
        """Another time for waiting jobs."""
        ...

    async def edit(self, tenant: UUID, job_id: UUID, changes: Document) -> Moved:
        """Change a waiting job."""
        ...

    async def get_jobs(self, tenant: UUID, ids: Sequence[UUID], *, conn: AsyncConn | None = None) -> list[Job]:
        """Whole jobs in the order asked for, each once; what is not there, or another tenant's, is left out.

        At most 1,000 different ids.
        """
        ...

    async def list_jobs(
        self, tenant: UUID, where: JobFilter | None = None, *, limit: int = 50, cursor: int | None = None
    ) -> Page:
        """A page of jobs, the newest first."""
        ...

    async def attempts(
        self, tenant: UUID, job_id: UUID, *, limit: int = 100, before: int | None = None
    ) -> list[Attempt]:
        """The attempts of a job, the newest first; the one that runs is among them."""
        ...

    async def result(self, tenant: UUID, job_id: UUID) -> Json:
        """What the job returned, None while there is nothing."""
        ...

    async def summary(self, tenant: UUID) -> Summary:
        """Counts by status and the age of the oldest due job."""
        ...

    async def read_logs(
        self, tenant: UUID, job_id: UUID, *, after: tuple[int, int] = (0, 0), limit: int = 1000, follow: bool = False
    ) -> list[LogLine]:
        """What a job wrote after (attempt_no, line), in order; `follow`: its worker sends new lines at once for 5 s."""
        ...

    async def search_logs(
        self,
        tenant: UUID,
        text: str,
        *,
        definitions: Sequence[str] | None = None,
        since: datetime | None = None,
        level: LogLevel | None = None,
        job: UUID | None = None,
        limit: int = 100,
    ) -> Findings:
        """Lines with all words of the text, those of the newest jobs first; `level` is the lowest that is wanted."""
        ...

    # The engine: leases over all tenants

    async def claim(self, queue: str, worker_id: str, *, limit: int = 1, lease_seconds: int = 30) -> Claimed:
        """Lease up to `limit` jobs of a queue, urgent ones first, fair between tenants."""
        ...

    async def renew(
        self,
        leases: Sequence[Lease],
        *,
        lease_seconds: int = 30,
        progress: Sequence[float | None] | None = None,
        messages: Sequence[str | None] | None = None,
    ) -> list[Renewed]:
        """Prolong leases, with progress from 0 to 1 and in words; learn which jobs are to be canceled."""
        ...

    async def settle(self, outcomes: Sequence[Settlement], *, max_interruptions: int = 20) -> list[Settled]:
        """End attempts. A lease that is no longer ours changes nothing and comes back as not accepted."""
        ...

    async def release(self, leases: Sequence[Lease], *, reason: str = "shutdown", after: float = 0) -> list[Settled]:
        """Give leases back unspent."""
        ...

    async def log_lines(self, lines: Sequence[NewLogLine]) -> list[int]:
        """Keep log lines; the seqs whose lines were refused: the lease is not theirs. A line again changes nothing."""
        ...

    # Upkeep: anyone may repeat these at any time

    async def due_chores(self, chores: Sequence[str], *, by: str | None = None) -> DueChores:
        """Which of promote, tick, expire, sweep, wake and reap have something to do.

        Processes that name themselves take turns on PostgreSQL; without a name the caller always does the upkeep.
        """
        ...

    async def promote(self, *, limit: int = 1000) -> int:
        """Make what came due ready."""
        ...

    async def reap(self, *, limit: int = 500) -> int:
        """Settle for workers that are gone."""
        ...

    async def expire(self, *, limit: int = 1000) -> int:
        """Cancel what did not start in time."""
        ...

    async def sweep(self, *, limit: int = 1000) -> int:
        """Let back what a gate no longer holds."""
        ...

    async def tick(self, *, full: bool = True) -> int:
        """Move the low marks of the claim."""
        ...

    async def wake_idle(self) -> int:
        """Tell idle workers of queues that have jobs nobody told them of; how many queues."""
        ...

    async def tidy(self) -> int:
        """Remove what nothing uses any more."""
        ...

    async def held_snapshots(self) -> list[HeldSnapshot]:
        """What keeps dead rows from being removed, apart from short transactions that may be gone the next time."""
        ...

    async def prune_logs(self, *, retention_days: int = 7) -> int:
        """Remove logs that are past their time, some at a time; 0: there are none, or somebody is in the way."""
        ...

    async def vacuum(self) -> None:
        """Clear the hot tables of dead rows."""
        ...

    # Workers

    async def register_worker(self, worker: NewWorker) -> None:
        """Make a worker known; the same id again replaces it."""
        ...

    async def see_worker(self, worker_id: str, *, running_count: int = 0) -> bool:
        """Say that a worker is alive; False: it must register again."""
        ...

    async def deregister_worker(self, worker_id: str) -> bool:
        """Say that a worker is gone for good."""
        ...

    async def workers(self, *, limit: int = 100) -> list[Worker]:
        """Workers, the latest seen first."""
        ...

    async def want_work(self, queues: Sequence[str], *, seconds: int = 5) -> dict[str, int]:
        """Ask to be woken when one of these queues gets a job; the ids that a notification carries."""
        ...

    # What the operator sets

    async def create_tenant(
        self,
        slug: str,
        *,
        name: str = "",
        weight: int = 1,
        max_in_flight: int | None = None,
        max_pending: int | None = None,
        tenant_id: UUID | None = None,
    ) -> Tenant:
        """A new tenant."""
        ...

    async def set_tenant(self, tenant: UUID, changes: Document) -> Tenant:
        """Change name, weight or limits; None takes a limit away."""
        ...

    async def pause_tenants(self, tenants: Sequence[UUID]) -> list[UUID]:
        """Start none of their jobs from now on."""
        ...

    async def resume_tenants(self, tenants: Sequence[UUID]) -> list[UUID]:
        """Start their jobs again."""
        ...

    async def tenants(self, *, limit: int = 100, after: str = "") -> list[Tenant]:
        """Tenants in the order of their slugs."""
        ...

    async def get_tenant(self, tenant: UUID | str) -> Tenant:
        """One tenant, by id or slug."""
        ...

    async def tenant_id(self, slug: str) -> UUID:
        """The id behind a slug."""
        ...

    async def put_definitions(self, definitions: Sequence[Document]) -> list[Definition]:
        """Make or change definitions; what a document does not name keeps its value."""
        ...

    async def definitions(
        self, keys: Sequence[str] | None = None, *, limit: int = 100, after: str = ""
    ) -> list[Definition]:
        """Definitions in the order of their keys."""
        ...

    async def put_queues(self, names: Sequence[str]) -> list[str]:
        """Make queues; the names that were new."""
        ...

    async def pause_queues(self, names: Sequence[str]) -> list[str]:
        """Hand out nothing from them from now on."""
        ...

    async def resume_queues(self, names: Sequence[str]) -> list[str]:
        """Hand out jobs again."""
        ...

    async def queues(self) -> list[Queue]:
        """Queues by name."""
        ...


class BlockingStore(Protocol):
    """The same verbs for programs without an event loop; safe to share between threads."""

    # A tenant's jobs

    def enqueue(self, tenant: UUID, jobs: Sequence[NewJob], *, conn: Conn | None = None) -> list[Enqueued]: ...

    def cancel(
        self, tenant: UUID, ids: Sequence[UUID], *, reason: str | None = None, conn: Conn | None = None
    ) -> list[Moved]: ...

    def retry(
        self, tenant: UUID, ids: Sequence[UUID], *, max_attempts: int | None = None, conn: Conn | None = None
    ) -> list[Moved]: ...

    def reschedule(
        self, tenant: UUID, ids: Sequence[UUID], *, at: datetime | None = None, delay_seconds: float | None = None
    ) -> list[Moved]: ...

    def edit(self, tenant: UUID, job_id: UUID, changes: Document) -> Moved: ...

    def get_jobs(self, tenant: UUID, ids: Sequence[UUID], *, conn: Conn | None = None) -> list[Job]: ...

    def list_jobs(
        self, tenant: UUID, where: JobFilter | None = None, *, limit: int = 50, cursor: int | None = None
    ) -> Page: ...

    def attempts(self, tenant: UUID, job_id: UUID, *, limit: int = 100, before: int | None = None) -> list[Attempt]: ...

    def result(self, tenant: UUID, job_id: UUID) -> Json: ...

    def summary(self, tenant: UUID) -> Summary: ...

    def read_logs(
        self, tenant: UUID, job_id: UUID, *, after: tuple[int, int] = (0, 0), limit: int = 1000, follow: bool = False
    ) -> list[LogLine]: ...

    def search_logs(
        self,
        tenant: UUID,
        text: str,
        *,
        definitions: Sequence[str] | None = None,
        since: datetime | None = None,
        level: LogLevel | None = None,
        job: UUID | None = None,
        limit: int = 100,
    ) -> Findings: ...

    # The engine: leases over all tenants

    def claim(self, queue: str, worker_id: str, *, limit: int = 1, lease_seconds: int = 30) -> Claimed: ...

    def renew(
        self,
        leases: Sequence[Lease],
        *,
        lease_seconds: int = 30,
        progress: Sequence[float | None] | None = None,
        messages: Sequence[str | None] | None = None,
    ) -> list[Renewed]: ...

    def settle(self, outcomes: Sequence[Settlement], *, max_interruptions: int = 20) -> list[Settled]: ...

    def release(self, leases: Sequence[Lease], *, reason: str = "shutdown", after: float = 0) -> list[Settled]: ...

    def log_lines(self, lines: Sequence[NewLogLine]) -> list[int]: ...

    # Upkeep: anyone may repeat these at any time

    def due_chores(self, chores: Sequence[str], *, by: str | None = None) -> DueChores: ...

    def promote(self, *, limit: int = 1000) -> int: ...

    def reap(self, *, limit: int = 500) -> int: ...

    def expire(self, *, limit: int = 1000) -> int: ...

    def sweep(self, *, limit: int = 1000) -> int: ...

    def tick(self, *, full: bool = True) -> int: ...

    def wake_idle(self) -> int: ...

    def tidy(self) -> int: ...

    def held_snapshots(self) -> list[HeldSnapshot]: ...

    def prune_logs(self, *, retention_days: int = 7) -> int: ...

    def vacuum(self) -> None: ...

    # Workers

    def register_worker(self, worker: NewWorker) -> None: ...

    def see_worker(self, worker_id: str, *, running_count: int = 0) -> bool: ...

    def deregister_worker(self, worker_id: str) -> bool: ...

    def workers(self, *, limit: int = 100) -> list[Worker]: ...

    def want_work(self, queues: Sequence[str], *, seconds: int = 5) -> dict[str, int]: ...

    # What the operator sets

    def create_tenant(
        self,
        slug: str,
        *,
        name: str = "",
        weight: int = 1,
        max_in_flight: int | None = None,
        max_pending: int | None = None,
        tenant_id: UUID | None = None,
    ) -> Tenant: ...

    def set_tenant(self, tenant: UUID, changes: Document) -> Tenant: ...

    def pause_tenants(self, tenants: Sequence[UUID]) -> list[UUID]: ...

    def resume_tenants(self, tenants: Sequence[UUID]) -> list[UUID]: ...

    def tenants(self, *, limit: int = 100, after: str = "") -> list[Tenant]: ...

    def get_tenant(self, tenant: UUID | str) -> Tenant: ...

    def tenant_id(self, slug: str) -> UUID: ...

    def put_definitions(self, definitions: Sequence[Document]) -> list[Definition]: ...

    def definitions(
        self, keys: Sequence[str] | None = None, *, limit: int = 100, after: str = ""
    ) -> list[Definition]: ...

    def put_queues(self, names: Sequence[str]) -> list[str]: ...

    def pause_queues(self, names: Sequence[str]) -> list[str]: ...

    def resume_queues(self, names: Sequence[str]) -> list[str]: ...

    def queues(self) -> list[Queue]: ...
