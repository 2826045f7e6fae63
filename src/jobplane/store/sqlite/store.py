"""The SQLite store for programs with an event loop: the same verbs, in threads of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Self, TypeVar
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
from jobplane.store.base import AsyncConn, Conn
from jobplane.store.sqlite import moment
from jobplane.store.sqlite.blocking import BlockingSqliteStore
from jobplane.store.sqlite.drivers import Driver
from jobplane.store.sqlite.threads import Threads

Answer = TypeVar("Answer")


class SqliteStore:
    """A call that waits for the file keeps no reader waiting; a lent connection is used on the loop it came from."""

    _blocking: type[BlockingSqliteStore] = BlockingSqliteStore

    def __init__(
        self,
        path: str | Path,
        *,
        driver: Driver = "apsw",
        busy_seconds: float = 10.0,
        clock: Callable[[], int] = moment.clock,
        dice: Callable[[], float] = moment.dice,
    ) -> None:
        self._store = self._blocking(path, driver=driver, busy_seconds=busy_seconds, clock=clock, dice=dice)
        self._threads = Threads(busy_seconds)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self._store.path

    async def close(self) -> None:
        """Give the file and the threads back; the store opens again at its next use."""
        await self._threads.close(self._store.close)

    async def check(self) -> None:
        """Open the file now, and bring it to this program's schema."""
        await self._run(self._store.check)

    async def backup(self, target: Path) -> None:
        """A consistent copy, made while others write, into a file that is not there yet."""
        await self._run(lambda: self._store.backup(target))

    async def _run(self, call: Callable[[], Answer]) -> Answer:
        return await self._threads.run("write", call)

    async def _look(self, call: Callable[[], Answer]) -> Answer:
        return await self._threads.run("read", call)

    async def _lend(self, conn: AsyncConn, call: Callable[[Conn], Answer]) -> Answer:
        """To its end, whoever cancels: a statement that came later could land outside the caller's transaction."""
        lent = _Lent(conn, asyncio.get_running_loop())
        verb = self._threads.run("lent", lambda: call(lent))
        try:
            return await asyncio.shield(verb)
        except asyncio.CancelledError:
            while not verb.done():
                with suppress(asyncio.CancelledError):
                    await asyncio.wait([verb])
            verb.exception()
            raise

    async def enqueue(self, tenant: UUID, jobs: Sequence[NewJob], *, conn: AsyncConn | None = None) -> list[Enqueued]:
        if conn is not None:
            return await self._lend(conn, lambda lent: self._store.enqueue(tenant, jobs, conn=lent))
        return await self._run(lambda: self._store.enqueue(tenant, jobs))

    async def cancel(
        self, tenant: UUID, ids: Sequence[UUID], *, reason: str | None = None, conn: AsyncConn | None = None
    ) -> list[Moved]:
        if conn is not None:
            return await self._lend(conn, lambda lent: self._store.cancel(tenant, ids, reason=reason, conn=lent))
        return await self._run(lambda: self._store.cancel(tenant, ids, reason=reason))

    async def retry(
        self, tenant: UUID, ids: Sequence[UUID], *, max_attempts: int | None = None, conn: AsyncConn | None = None
    ) -> list[Moved]:
        if conn is not None:
            return await self._lend(
                conn, lambda lent: self._store.retry(tenant, ids, max_attempts=max_attempts, conn=lent)
            )
        return await self._run(lambda: self._store.retry(tenant, ids, max_attempts=max_attempts))

    async def reschedule(
        self, tenant: UUID, ids: Sequence[UUID], *, at: datetime | None = None, delay_seconds: float | None = None
    ) -> list[Moved]:
        return await self._run(lambda: self._store.reschedule(tenant, ids, at=at, delay_seconds=delay_seconds))

    async def edit(self, tenant: UUID, job_id: UUID, changes: Document) -> Moved:
        return await self._run(lambda: self._store.edit(tenant, job_id, changes))

    async def get_jobs(self, tenant: UUID, ids: Sequence[UUID], *, conn: AsyncConn | None = None) -> list[Job]:
        if conn is not None:
            return await self._lend(conn, lambda lent: self._store.get_jobs(tenant, ids, conn=lent))
        return await self._look(lambda: self._store.get_jobs(tenant, ids))

    async def list_jobs(
        self, tenant: UUID, where: JobFilter | None = None, *, limit: int = 50, cursor: int | None = None
    ) -> Page:
        return await self._look(lambda: self._store.list_jobs(tenant, where, limit=limit, cursor=cursor))

    async def attempts(
        self, tenant: UUID, job_id: UUID, *, limit: int = 100, before: int | None = None
    ) -> list[Attempt]:
        return await self._look(lambda: self._store.attempts(tenant, job_id, limit=limit, before=before))

    async def result(self, tenant: UUID, job_id: UUID) -> Json:
        return await self._look(lambda: self._store.result(tenant, job_id))

    async def summary(self, tenant: UUID) -> Summary:
        return await self._look(lambda: self._store.summary(tenant))

    async def read_logs(
        self, tenant: UUID, job_id: UUID, *, after: tuple[int, int] = (0, 0), limit: int = 1000, follow: bool = False
    ) -> list[LogLine]:
        def read() -> list[LogLine]:
            return self._store.read_logs(tenant, job_id, after=after, limit=limit, follow=follow)

        return await (self._run(read) if follow else self._look(read))

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
        return await self._look(
            lambda: self._store.search_logs(
                tenant, text, definitions=definitions, since=since, level=level, job=job, limit=limit
            )
        )

    async def claim(self, queue: str, worker_id: str, *, limit: int = 1, lease_seconds: int = 30) -> Claimed:
        return await self._run(lambda: self._store.claim(queue, worker_id, limit=limit, lease_seconds=lease_seconds))

    async def renew(
        self,
        leases: Sequence[Lease],
        *,
        lease_seconds: int = 30,
        progress: Sequence[float | None] | None = None,
        messages: Sequence[str | None] | None = None,
    ) -> list[Renewed]:
        return await self._run(
            lambda: self._store.renew(leases, lease_seconds=lease_seconds, progress=progress, messages=messages)
        )

    async def settle(self, outcomes: Sequence[Settlement], *, max_interruptions: int = 20) -> list[Settled]:
        return await self._run(lambda: self._store.settle(outcomes, max_interruptions=max_interruptions))

    async def release(self, leases: Sequence[Lease], *, reason: str = "shutdown", after: float = 0) -> list[Settled]:
        return await self._run(lambda: self._store.release(leases, reason=reason, after=after))

    async def log_lines(self, lines: Sequence[NewLogLine]) -> list[int]:
        return await self._run(lambda: self._store.log_lines(lines))

    async def due_chores(self, chores: Sequence[str], *, by: str | None = None) -> DueChores:
        return await self._run(lambda: self._store.due_chores(chores, by=by))

    async def promote(self, *, limit: int = 1000) -> int:
        return await self._run(lambda: self._store.promote(limit=limit))

    async def reap(self, *, limit: int = 500) -> int:
        return await self._run(lambda: self._store.reap(limit=limit))

    async def expire(self, *, limit: int = 1000) -> int:
        return await self._run(lambda: self._store.expire(limit=limit))

    async def sweep(self, *, limit: int = 1000) -> int:
        return await self._run(lambda: self._store.sweep(limit=limit))

    async def tick(self, *, full: bool = True) -> int:
        return await self._run(lambda: self._store.tick(full=full))

    async def wake_idle(self) -> int:
        return self._store.wake_idle()

    async def tidy(self) -> int:
        return await self._run(self._store.tidy)

    async def held_snapshots(self) -> list[HeldSnapshot]:
        return self._store.held_snapshots()

    async def prune_logs(self, *, retention_days: int = 7) -> int:
        return await self._run(lambda: self._store.prune_logs(retention_days=retention_days))

    async def vacuum(self) -> None:
        return await self._run(self._store.vacuum)

    async def register_worker(self, worker: NewWorker) -> None:
        return await self._run(lambda: self._store.register_worker(worker))

    async def see_worker(self, worker_id: str, *, running_count: int = 0) -> bool:
        return await self._run(lambda: self._store.see_worker(worker_id, running_count=running_count))

    async def deregister_worker(self, worker_id: str) -> bool:
        return await self._run(lambda: self._store.deregister_worker(worker_id))

    async def workers(self, *, limit: int = 100) -> list[Worker]:
        return await self._look(lambda: self._store.workers(limit=limit))

    async def want_work(self, queues: Sequence[str], *, seconds: int = 5) -> dict[str, int]:
        return await self._look(lambda: self._store.want_work(queues, seconds=seconds))

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
        return await self._run(
            lambda: self._store.create_tenant(
                slug,
                name=name,
                weight=weight,
                max_in_flight=max_in_flight,
                max_pending=max_pending,
                tenant_id=tenant_id,
            )
        )

    async def set_tenant(self, tenant: UUID, changes: Document) -> Tenant:
        return await self._run(lambda: self._store.set_tenant(tenant, changes))

    async def pause_tenants(self, tenants: Sequence[UUID]) -> list[UUID]:
        return await self._run(lambda: self._store.pause_tenants(tenants))

    async def resume_tenants(self, tenants: Sequence[UUID]) -> list[UUID]:
        return await self._run(lambda: self._store.resume_tenants(tenants))

    async def tenants(self, *, limit: int = 100, after: str = "") -> list[Tenant]:
        return await self._look(lambda: self._store.tenants(limit=limit, after=after))

    async def get_tenant(self, tenant: UUID | str) -> Tenant:
        return await self._look(lambda: self._store.get_tenant(tenant))

    async def tenant_id(self, slug: str) -> UUID:
        return await self._look(lambda: self._store.tenant_id(slug))

    async def put_definitions(self, definitions: Sequence[Document]) -> list[Definition]:
        return await self._run(lambda: self._store.put_definitions(definitions))

    async def definitions(
        self, keys: Sequence[str] | None = None, *, limit: int = 100, after: str = ""
    ) -> list[Definition]:
        return await self._look(lambda: self._store.definitions(keys, limit=limit, after=after))

    async def put_queues(self, names: Sequence[str]) -> list[str]:
        return await self._run(lambda: self._store.put_queues(names))

    async def pause_queues(self, names: Sequence[str]) -> list[str]:
        return await self._run(lambda: self._store.pause_queues(names))

    async def resume_queues(self, names: Sequence[str]) -> list[str]:
        return await self._run(lambda: self._store.resume_queues(names))

    async def queues(self) -> list[Queue]:
        return await self._look(self._store.queues)


class _Lent:
    """An application's connection, used from a verb's thread and run on the application's own loop."""

    def __init__(self, conn: AsyncConn, loop: asyncio.AbstractEventLoop) -> None:
        self._conn = conn
        self._loop = loop
        self.dialect: str = getattr(conn, "dialect", "sqlite")

    def rows(self, statement: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
        return asyncio.run_coroutine_threadsafe(self._conn.rows(statement, parameters), self._loop).result()
