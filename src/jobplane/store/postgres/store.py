"""The PostgreSQL store: each verb is one call of one function, asynchronous."""

from __future__ import annotations

import asyncio
from typing import Any, Self, TypeVar

from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

from jobplane.core.actors import Actor
from jobplane.core.errors import JobplaneError
from jobplane.store.base import AsyncConn
from jobplane.store.postgres.bindings import BINDINGS, LENT
from jobplane.store.postgres.calls.call import Call, Role
from jobplane.store.postgres.errors import FAULTS, translate
from jobplane.store.postgres.foreign import translate_lent_errors
from jobplane.store.postgres.lent import lent_statement, require_postgres, texts, unfold
from jobplane.store.postgres.probe import probe
from jobplane.store.postgres.settings import Settings
from jobplane.store.verbs.verb import Verb

Answer = TypeVar("Answer")
Pool = AsyncConnectionPool[AsyncConnection[tuple[Any, ...]]]


class PostgresStore:
    """The store of `jobplane.store.base.Store` on PostgreSQL; one pool for each login that is used."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._pools: dict[str, Pool] = {}  # by URL: logins may share one
        self._by_role: dict[Role, Pool] = {}
        self._opening = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Give all connections back; the store opens again at its next use."""
        pools, self._pools, self._by_role = self._pools, {}, {}
        for pool in pools.values():
            await pool.close()

    async def check(self, role: Role = "app") -> None:
        """Refuse a server, login or schema that this program may not serve from; each login is checked at first use."""
        await self._pool(role)

    async def run(self, verb: Verb[Answer], *, conn: AsyncConn | None = None, actor: Actor | None = None) -> Answer:
        call: Call[Answer] = (BINDINGS if conn is None else LENT)[type(verb)](verb)
        if actor is not None:
            call = call.by(actor)
        return await (self._run(call) if conn is None else self._run_lent(call, conn))

    async def _run(self, call: Call[Answer]) -> Answer:
        try:
            pool = self._by_role.get(call.role) or await self._pool(call.role)
            async with pool.connection() as conn:
                cursor = await conn.execute(call.statement, call.parameters, binary=call.binary)
                rows = await cursor.fetchall() if cursor.pgresult and cursor.pgresult.nfields else []
        except FAULTS as error:
            return call.refused(translate(error))
        except JobplaneError as error:
            return call.refused(error)
        return call.read(rows)

    async def _run_lent(self, call: Call[Answer], conn: AsyncConn) -> Answer:
        """In the caller's transaction, with whatever driver; nothing of it is changed."""
        require_postgres(conn)
        with translate_lent_errors():
            rows = await conn.rows(lent_statement(call.statement), texts(call.parameters))
        return call.read(unfold(rows))

    async def _pool(self, role: Role) -> Pool:
        url = self._settings.url(role)
        async with self._opening:
            if url not in self._pools:
                self._pools[url] = await self._open(url)
        self._by_role[role] = self._pools[url]
        return self._pools[url]

    async def _open(self, url: str) -> Pool:
        await asyncio.to_thread(probe, self._settings, url)
        size, patience = self._settings.max_connections, self._settings.timeout_seconds
        pool: Pool = AsyncConnectionPool(
            url, kwargs=self._settings.connection(), min_size=0, max_size=size, timeout=patience, open=False
        )
        await pool.open()
        return pool
