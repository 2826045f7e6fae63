"""The PostgreSQL store for programs without an event loop: the same verbs, blocking."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from time import monotonic
from typing import Self, TypeVar

from jobplane.core.actors import Actor
from jobplane.core.errors import JobplaneError
from jobplane.store.base import Conn
from jobplane.store.postgres.bindings import BINDINGS, LENT
from jobplane.store.postgres.calls.call import Call, Role
from jobplane.store.postgres.errors import FAULTS, translate
from jobplane.store.postgres.foreign import translate_lent_errors
from jobplane.store.postgres.lent import lent_statement, require_postgres, texts, unfold
from jobplane.store.postgres.logins import name_setting
from jobplane.store.postgres.pools import BlockingPool
from jobplane.store.postgres.probe import not_sent, probe
from jobplane.store.postgres.settings import Settings
from jobplane.store.verbs.verb import Verb

Answer = TypeVar("Answer")


class BlockingPostgresStore:
    """The same calls as `PostgresStore`, over blocking pools; safe to share between threads."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._pools: dict[str, BlockingPool] = {}  # by URL: logins may share one
        self._by_role: dict[Role, BlockingPool] = {}
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
        self._pool(role, monotonic() + self._settings.deadline_seconds)

    def run(self, verb: Verb[Answer], *, conn: Conn | None = None, actor: Actor | None = None) -> Answer:
        call: Call[Answer] = (BINDINGS if conn is None else LENT)[type(verb)](verb)
        if actor is not None:
            call = call.by(actor)
        return self._run(call) if conn is None else self._run_lent(call, conn)

    def _run(self, call: Call[Answer]) -> Answer:
        ends_at = monotonic() + self._settings.deadline_seconds
        try:
            pool = self._by_role.get(call.role) or self._pool(call.role, ends_at)
            rows = pool.rows(call, ends_at)
        except FAULTS as error:
            return call.refused(name_setting(translate(error), call.role))
        except JobplaneError as error:
            return call.refused(error)
        return call.read(rows)

    def _run_lent(self, call: Call[Answer], conn: Conn) -> Answer:
        """In the caller's transaction, with whatever driver; nothing of it is changed."""
        require_postgres(conn)
        with translate_lent_errors():
            rows = conn.rows(lent_statement(call.statement), texts(call.parameters))
        return call.read(unfold(rows))

    def _pool(self, role: Role, ends_at: float) -> BlockingPool:
        url = self._settings.url(role)
        with self._take_turn(ends_at):
            if url not in self._pools:
                self._pools[url] = self._open(role, url, ends_at)
            self._by_role[role] = self._pools[url]
            return self._pools[url]

    def _open(self, role: Role, url: str, ends_at: float) -> BlockingPool:
        try:
            probe(self._settings, url, ends_at)
        except JobplaneError as error:
            raise name_setting(error, role) from error
        return BlockingPool(url, self._settings)

    @contextmanager
    def _take_turn(self, ends_at: float) -> Generator[None]:
        """One thread at a time opens a pool; the others wait until their deadline."""
        if not self._opening.acquire(timeout=max(0.0, ends_at - monotonic())):
            raise not_sent(self._settings.deadline_seconds)
        try:
            yield
        finally:
            self._opening.release()
