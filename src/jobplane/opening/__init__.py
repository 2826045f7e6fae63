"""The composition root: the one package that knows the concrete stores and the embedded server.

A store is imported when a URL asks for it: with a file nobody waits for the driver of PostgreSQL, which takes longer to
import than all the rest.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict, Unpack, get_args

from jobplane import config as configuration
from jobplane.config import Config, Role
from jobplane.store.base import Driver
from jobplane.store.worker import Notifications, WorkerStore

if TYPE_CHECKING:
    from jobplane.opening.postgres import HostedStore
    from jobplane.store.postgres.blocking import BlockingPostgresStore
    from jobplane.store.postgres.store import PostgresStore
    from jobplane.store.sqlite.blocking import BlockingSqliteStore
    from jobplane.store.sqlite.store import SqliteStore

__all__ = [
    "ROLES",
    "Deadlines",
    "SchedulerStores",
    "Time",
    "WorkerStores",
    "back_up",
    "connect",
    "connect_blocking",
    "has_one_owner",
    "is_embedded",
    "login",
    "open_async",
    "open_blocking",
    "open_scheduler_stores",
    "open_served",
    "open_worker_stores",
    "shared_url",
]

ROLES: Final[tuple[Role, ...]] = get_args(Role)


def is_embedded(config: Config) -> bool:
    """Whether migrations would go to a server of our own."""
    return config.url("owner").startswith("embedded:")


def has_one_owner(config: Config) -> bool:
    """Whether schema and definitions reach the database by themselves: nobody else could have to agree."""
    return _is_file(config) or is_embedded(config) or config.trust == "single"


class Time(TypedDict, total=False):
    """What a test replaces in a SQLite store; on PostgreSQL it replaces the two functions of these names."""

    clock: Callable[[], int]
    dice: Callable[[], float]


def connect_blocking(url: str | None = None, *, sqlite: Driver = "apsw") -> BlockingPostgresStore | BlockingSqliteStore:
    """A store for a program without an event loop; `close` also lets an embedded server go."""
    return open_blocking(configuration.load({"database_url": url}).base_on("app"), sqlite)


def open_blocking(
    config: Config, sqlite: Driver = "apsw", *, frugal: bool = False, **time: Unpack[Time]
) -> BlockingPostgresStore | BlockingSqliteStore:
    """The same with a configuration that is there already; a frugal one has one connection, and that only in use."""
    if _is_file(config):
        from jobplane.store.sqlite.blocking import BlockingSqliteStore

        return BlockingSqliteStore(_path(config), driver=sqlite, **time)
    from jobplane.opening import postgres

    return postgres.open_blocking(config, frugal=frugal)


async def connect(url: str | None = None, *, sqlite: Driver = "apsw") -> PostgresStore | SqliteStore:
    """A store for a program with an event loop."""
    return await open_async(configuration.load({"database_url": url}).base_on("app"), sqlite)


async def open_async(config: Config, sqlite: Driver = "apsw", **time: Unpack[Time]) -> HostedStore | SqliteStore:
    """The same with a configuration that is there already."""
    if _is_file(config):
        from jobplane.store.sqlite.store import SqliteStore

        return SqliteStore(_path(config), driver=sqlite, **time)
    from jobplane.opening import postgres

    return await postgres.open_async(config)


async def open_served(config: Config) -> PostgresStore | SqliteStore:
    """A store for a server, with few connections and little patience. Raises where it may not use a login."""
    if _is_file(config):
        from jobplane.store.sqlite.store import SqliteStore

        store = SqliteStore(_path(config), busy_seconds=5.0)
        await store.check()
        return store
    from jobplane.opening import postgres

    return await postgres.open_served(config)


def login(config: Config) -> str:
    """Who an operator is to the database: its login, or the user of the operating system on a file."""
    from jobplane.store.sqlite.actors import login

    if _is_file(config):
        return login()
    from jobplane.opening import postgres

    return postgres.login(config) or login()


def shared_url(config: Config) -> tuple[str, object]:
    """Where several stores find the same database, and what they hold on to: the file of `:memory:` goes with it."""
    from jobplane.store.sqlite.filesystem import MEMORY, Place

    if _path(config) != MEMORY:
        return config.database_url, None
    place = Place(MEMORY)
    return f"sqlite:///{place.path}", place


def back_up(config: Config, target: Path) -> None:
    """A consistent copy of a SQLite file while others work on it."""
    from jobplane.store.sqlite.blocking import BlockingSqliteStore

    store = BlockingSqliteStore(_path(config))
    try:
        store.backup(target)
    finally:
        store.close()


def _is_file(config: Config) -> bool:
    return config.database_url.startswith("sqlite:")


def _path(config: Config) -> str:
    return config.database_url.removeprefix("sqlite:///")


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadlines:
    """Seconds after which a call of a worker is given up, here and in the server, by what it is for."""

    claims: float = 5.0
    settles: float = 7.5
    keeps: float = 3.0
    upkeep: float = 7.5


@dataclass(frozen=True, slots=True)
class WorkerStores:
    """The connections of one worker, and what it holds on to: an embedded server stays while it works.

    What keeps leases and the upkeep share one, on which a renewal waits for one other call at most.
    """

    claims: WorkerStore
    settles: WorkerStore
    keeps: WorkerStore
    upkeep: WorkerStore
    notifications: Notifications | None
    held: ExitStack

    async def close(self) -> None:
        if self.notifications is not None:
            await self.notifications.close()
        for store in (self.claims, self.settles, self.keeps, self.upkeep):
            await store.close()
        await asyncio.to_thread(self.held.close)


@dataclass(frozen=True, slots=True)
class SchedulerStores:
    """The connections of a scheduler, all with its own login but for `maintenance`, which may vacuum.

    None there: no login for it is configured.
    """

    fires: WorkerStore
    upkeep: WorkerStore
    system: WorkerStore
    maintenance: WorkerStore | None
    notifications: Notifications | None
    held: ExitStack

    async def close(self) -> None:
        if self.notifications is not None:
            await self.notifications.close()
        for store in (self.fires, self.upkeep, self.system, self.maintenance):
            if store is not None:
                await store.close()
        await asyncio.to_thread(self.held.close)


async def open_scheduler_stores(config: Config) -> SchedulerStores:
    """Stores on connections of their own, which connect at their first use."""
    if _is_file(config):
        store = _on_a_file(config, Deadlines().settles).upkeep
        return SchedulerStores(store, store, store, store, None, ExitStack())
    from jobplane.opening import postgres

    return await postgres.open_scheduler_stores(config)


async def open_worker_stores(config: Config, deadlines: Deadlines | None = None) -> WorkerStores:
    """Stores on three connections, and one that listens where a direct connection is to be had.

    All connect at their first use.
    """
    patience = deadlines or Deadlines()
    if _is_file(config):
        return _on_a_file(config, patience.settles)
    from jobplane.opening import postgres

    return await postgres.open_worker_stores(config, patience)


def _on_a_file(config: Config, deadline_seconds: float) -> WorkerStores:
    """One store does for all: a file has one writer at a time."""
    from jobplane.store.sqlite.worker import SqliteWorkerStore

    store = SqliteWorkerStore(_path(config), busy_seconds=deadline_seconds)
    return WorkerStores(store, store, store, store, None, ExitStack())
