"""The PostgreSQL store for programs without an event loop: the same verbs, blocking."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any, Self, TypeVar

from psycopg import Connection
from psycopg_pool import ConnectionPool

from jobplane.core.actors import Actor
from jobplane.core.errors import JobplaneError
from jobplane.store.base import Conn
from jobplane.store.postgres.bindings import BINDINGS, LENT
from jobplane.store.postgres.calls.call import Call, Role
from jobplane.store.postgres.errors import FAULTS, translate
from jobplane.store.postgres.foreign import translate_lent_errors
from jobplane.store.postgres.lent import lent_statement, require_postgres, texts, unfold
from jobplane.store.postgres.probe import probe
from jobplane.store.postgres.settings import Settings
from jobplane.store.verbs.verb import Verb

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
        self._pools: dict[str, Pool] = {}  # by URL: logins may share one
        self._by_role: dict[Role, Pool] = {}
        self._opening = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give all connections back; the store opens again at its next use."""
        pools, self._pools, self._by_role = self._pools, {}, {}
        for pool in pools.values():
            pool.close()

    def check(self, role: Role = "app") -> None:
        """Refuse a server, login or schema that this program may not serve from; each login is checked at first use."""
        self._pool(role)

    def run(self, verb: Verb[Answer], *, conn: Conn | None = None, actor: Actor | None = None) -> Answer:
        call: Call[Answer] = (BINDINGS if conn is None else LENT)[type(verb)](verb)
        if actor is not None:
            call = call.by(actor)
        return self._run(call) if conn is None else self._run_lent(call, conn)

    def _run(self, call: Call[Answer]) -> Answer:
        try:
            pool = self._by_role.get(call.role) or self._pool(call.role)
            with pool.connection() as own:
                cursor = own.execute(call.statement, call.parameters, binary=call.binary)
                rows = cursor.fetchall() if cursor.pgresult and cursor.pgresult.nfields else []
        except FAULTS as error:
            return call.refused(translate(error))
        except JobplaneError as error:
            return call.refused(error)
        return call.read(rows)

    def _run_lent(self, call: Call[Answer], conn: Conn) -> Answer:
        """In the caller's transaction, with whatever driver; nothing of it is changed."""
        require_postgres(conn)
        with translate_lent_errors():
            rows = conn.rows(lent_statement(call.statement), texts(call.parameters))
        return call.read(unfold(rows))

    def _pool(self, role: Role) -> Pool:
        url = self._settings.url(role)
        with self._opening:
            if url not in self._pools:
                self._pools[url] = self._open(url)
            self._by_role[role] = self._pools[url]
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
