"""The SQLite store for programs with an event loop: the same verbs, in threads of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self, TypeVar

from jobplane.core.actors import Actor
from jobplane.store.base import AsyncConn, Conn
from jobplane.store.sqlite import moment
from jobplane.store.sqlite.bindings import binding_of
from jobplane.store.sqlite.blocking import BlockingSqliteStore
from jobplane.store.sqlite.drivers import Driver
from jobplane.store.sqlite.threads import Threads
from jobplane.store.verbs.verb import Verb

Answer = TypeVar("Answer")


class SqliteStore:
    """A call that waits for the file keeps no reader waiting; a lent connection is used on the loop it came from."""

    def __init__(
        self,
        path: str | Path,
        *,
        driver: Driver = "apsw",
        busy_seconds: float = 10.0,
        clock: Callable[[], int] = moment.clock,
        dice: Callable[[], float] = moment.dice,
    ) -> None:
        self._store = BlockingSqliteStore(path, driver=driver, busy_seconds=busy_seconds, clock=clock, dice=dice)
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

    def abandon(self) -> None:
        """Give the same back after the event loop was closed: nothing can be awaited on it any more."""
        self._threads.end(self._store.close)

    async def check(self) -> None:
        """Open the file now, and bring it to this program's schema."""
        await self._threads.run("write", self._store.check)

    async def backup(self, target: Path) -> None:
        """A consistent copy, made while others write, into a file that is not there yet."""
        await self._threads.run("write", lambda: self._store.backup(target))

    async def run(self, verb: Verb[Answer], *, conn: AsyncConn | None = None, actor: Actor | None = None) -> Answer:
        if conn is not None:
            return await self._lend(conn, lambda lent: self._store.run(verb, conn=lent, actor=actor))
        return await self._threads.run(binding_of(verb).use_of(verb), lambda: self._store.run(verb, actor=actor))

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


class _Lent:
    """An application's connection, used from a verb's thread and run on the application's own loop."""

    def __init__(self, conn: AsyncConn, loop: asyncio.AbstractEventLoop) -> None:
        self._conn = conn
        self._loop = loop
        self.dialect: str = getattr(conn, "dialect", "sqlite")

    def rows(self, statement: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
        return asyncio.run_coroutine_threadsafe(self._conn.rows(statement, parameters), self._loop).result()
