"""The PostgreSQL store for programs without an event loop: the same verbs, blocking."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Self, TypeVar
from uuid import UUID

from psycopg import Connection
from psycopg_pool import ConnectionPool

from jobplane.core.errors import JobplaneError
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
from jobplane.store.base import Conn
from jobplane.store.postgres.calls import jobs as jobs_
from jobplane.store.postgres.calls import leases as leases_
from jobplane.store.postgres.calls import logs as logs_
from jobplane.store.postgres.calls import operator
from jobplane.store.postgres.calls.call import Call, Role
from jobplane.store.postgres.errors import translated
from jobplane.store.postgres.foreign import translated_lent
from jobplane.store.postgres.lent import lent_statement, require_postgres, texts, unfold
from jobplane.store.postgres.probe import probe
from jobplane.store.postgres.settings import Settings

Answer = TypeVar("Answer")


class Pool(ConnectionPool[Connection[tuple[Any, ...]]]):
    def __del__(self, is_ending: Callable[[], bool] = sys.is_finalizing) -> None:
        """Its threads end with Python, which does not let them go on: on 3.13 to wait for them then takes 20 s."""
        if not is_ending():
            super().__del__()


class BlockingPostgresStore:
    """The same calls as `PostgresStore`, over blocking pools; safe to share between threads."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._pools: dict[str, Pool] = {}
        self._opening = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give all connections back; the store opens again at its next use."""
        pools, self._pools = self._pools, {}
        for pool in pools.values():
            pool.close()

    def check(self, role: Role = "app") -> None:
        """Refuse a server, login or schema that this program may not serve from; each login is checked at first use."""
        self._pool(role)

    def _run(self, call: Call[Answer], lent: Conn | None = None) -> Answer:
        if lent is not None:
            return self._run_lent(call, lent)
        try:
            with translated(), self._pool(call.role).connection() as conn:
                cursor = conn.execute(call.statement, call.parameters, binary=call.binary)
                rows = cursor.fetchall() if cursor.pgresult and cursor.pgresult.nfields else []
        except JobplaneError as error:
            return call.refused(error)
        return call.read(rows)

    def _run_lent(self, call: Call[Answer], conn: Conn) -> Answer:
        """In the caller's transaction, with whatever driver; nothing of it is changed."""
        require_postgres(conn)
        with translated_lent():
            rows = conn.rows(lent_statement(call.statement), texts(call.parameters))
        return call.read(unfold(rows))

    def _pool(self, role: Role) -> Pool:
        url = self._settings.url(role)
        if url not in self._pools:
            with self._opening:
                if url not in self._pools:
                    self._pools[url] = self._open(url)
        return self._pools[url]

    def _open(self, url: str) -> Pool:
        probe(self._settings, url)
        settings = self._settings
        return Pool(
            url,
            kwargs=settings.connection(),
            min_size=0,
            max_size=settings.max_connections,
            max_idle=settings.idle_seconds,
            timeout=settings.timeout_seconds,
            open=True,
        )

    def enqueue(self, tenant: UUID, jobs: Sequence[NewJob], *, conn: Conn | None = None) -> list[Enqueued]:
        return self._run(jobs_.enqueue(tenant, jobs, lent=conn is not None), conn)

    def cancel(
        self, tenant: UUID, ids: Sequence[UUID], *, reason: str | None = None, conn: Conn | None = None
    ) -> list[Moved]:
        return self._run(jobs_.cancel(tenant, ids, reason), conn)

    def retry(
        self, tenant: UUID, ids: Sequence[UUID], *, max_attempts: int | None = None, conn: Conn | None = None
    ) -> list[Moved]:
        return self._run(jobs_.retry(tenant, ids, max_attempts), conn)

    def reschedule(
        self, tenant: UUID, ids: Sequence[UUID], *, at: datetime | None = None, delay_seconds: float | None = None
    ) -> list[Moved]:
        return self._run(jobs_.reschedule(tenant, ids, at, delay_seconds))

    def edit(self, tenant: UUID, job_id: UUID, changes: Document) -> Moved:
        return self._run(jobs_.edit(tenant, job_id, changes))

    def get_jobs(self, tenant: UUID, ids: Sequence[UUID], *, conn: Conn | None = None) -> list[Job]:
        return self._run(jobs_.get(tenant, ids), conn)

    def list_jobs(
        self, tenant: UUID, where: JobFilter | None = None, *, limit: int = 50, cursor: int | None = None
    ) -> Page:
        return self._run(jobs_.list_(tenant, where or JobFilter(), limit, cursor))

    def attempts(self, tenant: UUID, job_id: UUID, *, limit: int = 100, before: int | None = None) -> list[Attempt]:
        return self._run(jobs_.attempts(tenant, job_id, limit, before))

    def result(self, tenant: UUID, job_id: UUID) -> Json:
        return self._run(jobs_.result(tenant, job_id))

    def summary(self, tenant: UUID) -> Summary:
        return self._run(jobs_.summary(tenant))

    def read_logs(
        self, tenant: UUID, job_id: UUID, *, after: tuple[int, int] = (0, 0), limit: int = 1000, follow: bool = False
    ) -> list[LogLine]:
        return self._run(logs_.read_logs(tenant, job_id, after, limit, follow))

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
    ) -> Findings:
        return self._run(logs_.search_logs(tenant, text, definitions, since, level, job, limit))

    def claim(self, queue: str, worker_id: str, *, limit: int = 1, lease_seconds: int = 30) -> Claimed:
        return self._run(leases_.claim(queue, worker_id, limit, lease_seconds))

    def renew(
        self,
        leases: Sequence[Lease],
        *,
        lease_seconds: int = 30,
        progress: Sequence[float | None] | None = None,
        messages: Sequence[str | None] | None = None,
    ) -> list[Renewed]:
        return self._run(leases_.renew(leases, lease_seconds, progress, messages))

    def settle(self, outcomes: Sequence[Settlement], *, max_interruptions: int = 20) -> list[Settled]:
        return self._run(leases_.settle(outcomes, max_interruptions))

    def release(self, leases: Sequence[Lease], *, reason: str = "shutdown", after: float = 0) -> list[Settled]:
        return self._run(leases_.release(leases, reason, after))

    def log_lines(self, lines: Sequence[NewLogLine]) -> list[int]:
        return self._run(logs_.log_lines(lines))

    def due_chores(self, chores: Sequence[str], *, by: str | None = None) -> DueChores:
        return self._run(leases_.due_chores(chores, by))

    def promote(self, *, limit: int = 1000) -> int:
        return self._run(leases_.promote(limit))

    def reap(self, *, limit: int = 500) -> int:
        return self._run(leases_.reap(limit))

    def expire(self, *, limit: int = 1000) -> int:
        return self._run(leases_.expire(limit))

    def sweep(self, *, limit: int = 1000) -> int:
        return self._run(leases_.sweep(limit))

    def tick(self, *, full: bool = True) -> int:
        return self._run(leases_.tick(full))

    def wake_idle(self) -> int:
        return self._run(leases_.wake_idle())

    def tidy(self) -> int:
        return self._run(leases_.tidy())

    def held_snapshots(self) -> list[HeldSnapshot]:
        return self._run(leases_.held_snapshots())

    def prune_logs(self, *, retention_days: int = 7) -> int:
        return self._run(logs_.prune_logs(retention_days))

    def vacuum(self) -> None:
        return self._run(leases_.vacuum())

    def register_worker(self, worker: NewWorker) -> None:
        return self._run(operator.register_worker(worker))

    def see_worker(self, worker_id: str, *, running_count: int = 0) -> bool:
        return self._run(operator.see_worker(worker_id, running_count))

    def deregister_worker(self, worker_id: str) -> bool:
        return self._run(operator.deregister_worker(worker_id))

    def workers(self, *, limit: int = 100) -> list[Worker]:
        return self._run(operator.workers(limit))

    def want_work(self, queues: Sequence[str], *, seconds: int = 5) -> dict[str, int]:
        return self._run(operator.want_work(queues, seconds))

    def create_tenant(
        self,
        slug: str,
        *,
        name: str = "",
        weight: int = 1,
        max_in_flight: int | None = None,
        max_pending: int | None = None,
        tenant_id: UUID | None = None,
    ) -> Tenant:
        return self._run(operator.create_tenant(slug, name, weight, max_in_flight, max_pending, tenant_id))

    def set_tenant(self, tenant: UUID, changes: Document) -> Tenant:
        return self._run(operator.set_tenant(tenant, changes))

    def pause_tenants(self, tenants: Sequence[UUID]) -> list[UUID]:
        return self._run(operator.pause_tenants(tenants))

    def resume_tenants(self, tenants: Sequence[UUID]) -> list[UUID]:
        return self._run(operator.resume_tenants(tenants))

    def tenants(self, *, limit: int = 100, after: str = "") -> list[Tenant]:
        return self._run(operator.tenants(limit, after))

    def get_tenant(self, tenant: UUID | str) -> Tenant:
        return self._run(operator.get_tenant(tenant))

    def tenant_id(self, slug: str) -> UUID:
        return self._run(operator.tenant_id(slug))

    def put_definitions(self, definitions: Sequence[Document]) -> list[Definition]:
        keys = self._run(operator.put_definitions(definitions))
        return self._run(operator.definitions(keys, 1000, ""))

    def definitions(self, keys: Sequence[str] | None = None, *, limit: int = 100, after: str = "") -> list[Definition]:
        return self._run(operator.definitions(keys, limit, after))

    def put_queues(self, names: Sequence[str]) -> list[str]:
        return self._run(operator.put_queues(names))

    def pause_queues(self, names: Sequence[str]) -> list[str]:
        return self._run(operator.pause_queues(names))

    def resume_queues(self, names: Sequence[str]) -> list[str]:
        return self._run(operator.resume_queues(names))

    def queues(self) -> list[Queue]:
        return self._run(operator.queues())
