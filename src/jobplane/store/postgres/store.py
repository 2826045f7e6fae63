"""The PostgreSQL store: each verb is one call of one function, asynchronous."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Self, TypeVar
from uuid import UUID

from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

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
from jobplane.store.base import AsyncConn
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
Pool = AsyncConnectionPool[AsyncConnection[tuple[Any, ...]]]


class PostgresStore:
    """The store of `jobplane.store.base.Store` on PostgreSQL; one pool for each login that is used."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._pools: dict[str, Pool] = {}
        self._opening = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Give all connections back; the store opens again at its next use."""
        pools, self._pools = self._pools, {}
        for pool in pools.values():
            await pool.close()

    async def check(self, role: Role = "app") -> None:
        """Refuse a server, login or schema that this program may not serve from; each login is checked at first use."""
        await self._pool(role)

    async def _run(self, call: Call[Answer], lent: AsyncConn | None = None) -> Answer:
        if lent is not None:
            return await self._run_lent(call, lent)
        try:
            with translated():
                pool = await self._pool(call.role)
                async with pool.connection() as conn:
                    cursor = await conn.execute(call.statement, call.parameters, binary=call.binary)
                    rows = await cursor.fetchall() if cursor.pgresult and cursor.pgresult.nfields else []
        except JobplaneError as error:
            return call.refused(error)
        return call.read(rows)

    async def _run_lent(self, call: Call[Answer], conn: AsyncConn) -> Answer:
        """In the caller's transaction, with whatever driver; nothing of it is changed."""
        require_postgres(conn)
        with translated_lent():
            rows = await conn.rows(lent_statement(call.statement), texts(call.parameters))
        return call.read(unfold(rows))

    async def _pool(self, role: Role) -> Pool:
        url = self._settings.url(role)
        if url not in self._pools:
            async with self._opening:
                if url not in self._pools:
                    self._pools[url] = await self._open(url)
        return self._pools[url]

    async def _open(self, url: str) -> Pool:
        await asyncio.to_thread(probe, self._settings, url)
        size, patience = self._settings.max_connections, self._settings.timeout_seconds
        pool: Pool = AsyncConnectionPool(
            url, kwargs=self._settings.connection(), min_size=0, max_size=size, timeout=patience, open=False
        )
        await pool.open()
        return pool

    async def enqueue(self, tenant: UUID, jobs: Sequence[NewJob], *, conn: AsyncConn | None = None) -> list[Enqueued]:
        return await self._run(jobs_.enqueue(tenant, jobs, lent=conn is not None), conn)

    async def cancel(
        self, tenant: UUID, ids: Sequence[UUID], *, reason: str | None = None, conn: AsyncConn | None = None
    ) -> list[Moved]:
        return await self._run(jobs_.cancel(tenant, ids, reason), conn)

    async def retry(
        self, tenant: UUID, ids: Sequence[UUID], *, max_attempts: int | None = None, conn: AsyncConn | None = None
    ) -> list[Moved]:
        return await self._run(jobs_.retry(tenant, ids, max_attempts), conn)

    async def reschedule(
        self, tenant: UUID, ids: Sequence[UUID], *, at: datetime | None = None, delay_seconds: float | None = None
    ) -> list[Moved]:
        return await self._run(jobs_.reschedule(tenant, ids, at, delay_seconds))

    async def edit(self, tenant: UUID, job_id: UUID, changes: Document) -> Moved:
        return await self._run(jobs_.edit(tenant, job_id, changes))

    async def get_jobs(self, tenant: UUID, ids: Sequence[UUID], *, conn: AsyncConn | None = None) -> list[Job]:
        return await self._run(jobs_.get(tenant, ids), conn)

    async def list_jobs(
        self, tenant: UUID, where: JobFilter | None = None, *, limit: int = 50, cursor: int | None = None
    ) -> Page:
        return await self._run(jobs_.list_(tenant, where or JobFilter(), limit, cursor))

    async def attempts(
        self, tenant: UUID, job_id: UUID, *, limit: int = 100, before: int | None = None
    ) -> list[Attempt]:
        return await self._run(jobs_.attempts(tenant, job_id, limit, before))

    async def result(self, tenant: UUID, job_id: UUID) -> Json:
        return await self._run(jobs_.result(tenant, job_id))

    async def summary(self, tenant: UUID) -> Summary:
        return await self._run(jobs_.summary(tenant))

    async def read_logs(
        self, tenant: UUID, job_id: UUID, *, after: tuple[int, int] = (0, 0), limit: int = 1000, follow: bool = False
    ) -> list[LogLine]:
        return await self._run(logs_.read_logs(tenant, job_id, after, limit, follow))

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
        return await self._run(logs_.search_logs(tenant, text, definitions, since, level, job, limit))

    async def claim(self, queue: str, worker_id: str, *, limit: int = 1, lease_seconds: int = 30) -> Claimed:
        return await self._run(leases_.claim(queue, worker_id, limit, lease_seconds))

    async def renew(
        self,
        leases: Sequence[Lease],
        *,
        lease_seconds: int = 30,
        progress: Sequence[float | None] | None = None,
        messages: Sequence[str | None] | None = None,
    ) -> list[Renewed]:
        return await self._run(leases_.renew(leases, lease_seconds, progress, messages))

    async def settle(self, outcomes: Sequence[Settlement], *, max_interruptions: int = 20) -> list[Settled]:
        return await self._run(leases_.settle(outcomes, max_interruptions))

    async def release(self, leases: Sequence[Lease], *, reason: str = "shutdown", after: float = 0) -> list[Settled]:
        return await self._run(leases_.release(leases, reason, after))

    async def log_lines(self, lines: Sequence[NewLogLine]) -> list[int]:
        return await self._run(logs_.log_lines(lines))

    async def due_chores(self, chores: Sequence[str], *, by: str | None = None) -> DueChores:
        return await self._run(leases_.due_chores(chores, by))

    async def promote(self, *, limit: int = 1000) -> int:
        return await self._run(leases_.promote(limit))

    async def reap(self, *, limit: int = 500) -> int:
        return await self._run(leases_.reap(limit))

    async def expire(self, *, limit: int = 1000) -> int:
        return await self._run(leases_.expire(limit))

    async def sweep(self, *, limit: int = 1000) -> int:
        return await self._run(leases_.sweep(limit))

    async def tick(self, *, full: bool = True) -> int:
        return await self._run(leases_.tick(full))

    async def wake_idle(self) -> int:
        return await self._run(leases_.wake_idle())

    async def tidy(self) -> int:
        return await self._run(leases_.tidy())

    async def held_snapshots(self) -> list[HeldSnapshot]:
        return await self._run(leases_.held_snapshots())

    async def prune_logs(self, *, retention_days: int = 7) -> int:
        return await self._run(logs_.prune_logs(retention_days))

    async def vacuum(self) -> None:
        return await self._run(leases_.vacuum())

    async def register_worker(self, worker: NewWorker) -> None:
        return await self._run(operator.register_worker(worker))

    async def see_worker(self, worker_id: str, *, running_count: int = 0) -> bool:
        return await self._run(operator.see_worker(worker_id, running_count))

    async def deregister_worker(self, worker_id: str) -> bool:
        return await self._run(operator.deregister_worker(worker_id))

    async def workers(self, *, limit: int = 100) -> list[Worker]:
        return await self._run(operator.workers(limit))

    async def want_work(self, queues: Sequence[str], *, seconds: int = 5) -> dict[str, int]:
        return await self._run(operator.want_work(queues, seconds))

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
        return await self._run(operator.create_tenant(slug, name, weight, max_in_flight, max_pending, tenant_id))

    async def set_tenant(self, tenant: UUID, changes: Document) -> Tenant:
        return await self._run(operator.set_tenant(tenant, changes))

    async def pause_tenants(self, tenants: Sequence[UUID]) -> list[UUID]:
        return await self._run(operator.pause_tenants(tenants))

    async def resume_tenants(self, tenants: Sequence[UUID]) -> list[UUID]:
        return await self._run(operator.resume_tenants(tenants))

    async def tenants(self, *, limit: int = 100, after: str = "") -> list[Tenant]:
        return await self._run(operator.tenants(limit, after))

    async def get_tenant(self, tenant: UUID | str) -> Tenant:
        return await self._run(operator.get_tenant(tenant))

    async def tenant_id(self, slug: str) -> UUID:
        return await self._run(operator.tenant_id(slug))

    async def put_definitions(self, definitions: Sequence[Document]) -> list[Definition]:
        keys = await self._run(operator.put_definitions(definitions))
        return await self._run(operator.definitions(keys, 1000, ""))

    async def definitions(
        self, keys: Sequence[str] | None = None, *, limit: int = 100, after: str = ""
    ) -> list[Definition]:
        return await self._run(operator.definitions(keys, limit, after))

    async def put_queues(self, names: Sequence[str]) -> list[str]:
        return await self._run(operator.put_queues(names))

    async def pause_queues(self, names: Sequence[str]) -> list[str]:
        return await self._run(operator.pause_queues(names))

    async def resume_queues(self, names: Sequence[str]) -> list[str]:
        return await self._run(operator.resume_queues(names))

    async def queues(self) -> list[Queue]:
        return await self._run(operator.queues())
