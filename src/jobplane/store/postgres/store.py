"""The PostgreSQL store: each verb is one call of one function, asynchronous."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import Self, TypeVar

from jobplane.core.actors import Actor
from jobplane.core.errors import JobplaneError
from jobplane.store.base import AsyncConn
from jobplane.store.postgres.bindings import BINDINGS, LENT
from jobplane.store.postgres.calls.call import Call, Role
from jobplane.store.postgres.errors import FAULTS, translate
from jobplane.store.postgres.foreign import translate_lent_errors
from jobplane.store.postgres.lent import lent_statement, require_postgres, texts, unfold
from jobplane.store.postgres.logins import name_setting
from jobplane.store.postgres.pools import Pool
from jobplane.store.postgres.probe import not_sent, probe_async
from jobplane.store.postgres.settings import Settings
from jobplane.store.verbs.verb import Verb

Answer = TypeVar("Answer")


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
        await self._pool(role, monotonic() + self._settings.deadline_seconds)

    async def run(self, verb: Verb[Answer], *, conn: AsyncConn | None = None, actor: Actor | None = None) -> Answer:
        call: Call[Answer] = (BINDINGS if conn is None else LENT)[type(verb)](verb)
        if actor is not None:
            call = call.by(actor)
        return await (self._run(call) if conn is None else self._run_lent(call, conn))

    async def _run(self, call: Call[Answer]) -> Answer:
        ends_at = monotonic() + self._settings.deadline_seconds
        try:
            pool = self._by_role.get(call.role) or await self._pool(call.role, ends_at)
            rows = await pool.rows(call, ends_at)
        except FAULTS as error:
            return call.refused(name_setting(translate(error), call.role))
        except JobplaneError as error:
            return call.refused(error)
        return call.read(rows)

    async def _run_lent(self, call: Call[Answer], conn: AsyncConn) -> Answer:
        """In the caller's transaction, with whatever driver; nothing of it is changed."""
        require_postgres(conn)
        with translate_lent_errors():
            rows = await conn.rows(lent_statement(call.statement), texts(call.parameters))
        return call.read(unfold(rows))

    async def _pool(self, role: Role, ends_at: float) -> Pool:
        url = self._settings.url(role)
        try:
            async with asyncio.timeout(ends_at - monotonic()), self._opening:
                if url not in self._pools:
                    self._pools[url] = await self._open(url, ends_at)
        except TimeoutError:
            raise not_sent(self._settings.deadline_seconds) from None
        except JobplaneError as error:
            raise name_setting(error, role) from error
        self._by_role[role] = self._pools[url]
        return self._pools[url]

    async def _open(self, url: str, ends_at: float) -> Pool:
        await probe_async(self._settings, url, ends_at)
        pool = Pool(url, self._settings)
        await pool.open()
        return pool
