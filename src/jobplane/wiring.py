"""The composition root: the one module that knows the concrete stores and the embedded server."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict, Unpack, get_args

from jobplane import config as configuration
from jobplane.config import Config, Role
from jobplane.control.upkeep import Upkeep
from jobplane.embedded import EmbeddedServer, parse_embedded_url
from jobplane.store.base import Driver
from jobplane.store.lines import Ear, LineStore
from jobplane.store.postgres import migrate as migrations
from jobplane.store.postgres import source
from jobplane.store.postgres.blocking import BlockingPostgresStore
from jobplane.store.postgres.calls.call import Role as Login
from jobplane.store.postgres.ear import PostgresEar
from jobplane.store.postgres.lines import PostgresLineStore
from jobplane.store.postgres.one import Admission
from jobplane.store.postgres.settings import Settings
from jobplane.store.postgres.store import PostgresStore

if TYPE_CHECKING:
    from jobplane.store.sqlite.blocking import BlockingSqliteStore
    from jobplane.store.sqlite.store import SqliteStore

__all__ = [
    "ROLES",
    "Server",
    "Time",
    "WorkerStores",
    "back_up",
    "connect",
    "connect_blocking",
    "has_one_owner",
    "is_embedded",
    "kept_up",
    "migrations",
    "open_async",
    "open_blocking",
    "open_server",
    "open_store",
    "open_worker_stores",
    "shared_url",
]

ROLES: Final[tuple[Role, ...]] = get_args(Role)


@dataclass(frozen=True, slots=True)
class Server:
    """A database that is there to be used, with a URL for each role."""

    urls: Mapping[Role, str]
    version: str = ""


def is_embedded(config: Config) -> bool:
    """Whether migrations would go to a server of our own."""
    return config.url("owner").startswith("embedded:")


@contextmanager
def open_server(config: Config) -> Generator[Server]:
    """The database of the configuration. An embedded one has its roles, and runs at least until the block ends."""
    if not is_embedded(config):
        yield Server({role: config.url(role) for role in ROLES})
        return
    directory = parse_embedded_url(config.url("owner"))
    with EmbeddedServer(directory, bin_dir=config.embedded_bin_dir, bootstrap_sql=source.load().roles) as server:
        major, minor = server.version
        yield Server({role: server.url(f"jobplane_{role}") for role in ROLES}, f"{major}.{minor}")


def open_store(server: Server, config: Config) -> PostgresStore:
    """The store on that database; it connects at its first use."""
    return PostgresStore(_settings(server, config))


def _settings(server: Server, config: Config) -> Settings:
    return Settings(
        urls={role: server.urls[role] for role in get_args(Login)},
        pooler=config.pooler,
        trust=config.trust,
        allow_unsafe_durability=config.allow_unsafe_durability,
    )


def has_one_owner(config: Config) -> bool:
    """Whether schema and definitions reach the database by themselves: nobody else could have to agree."""
    return config.database_url.startswith("sqlite:") or is_embedded(config) or config.trust == "single"


class Time(TypedDict, total=False):
    """What a test replaces in a SQLite store; on PostgreSQL it replaces the two functions of these names."""

    clock: Callable[[], int]
    dice: Callable[[], float]


def connect_blocking(
    url: str | None = None, *, sqlite: Driver = "apsw", frugal: bool = False
) -> BlockingPostgresStore | BlockingSqliteStore:
    """A store for a program without an event loop; `close` also lets an embedded server go.

    A frugal one has one connection, and that only while it is used.
    """
    return open_blocking(configuration.load({"database_url": url}), sqlite, frugal=frugal)


def open_blocking(
    config: Config, sqlite: Driver = "apsw", *, frugal: bool = False, **time: Unpack[Time]
) -> BlockingPostgresStore | BlockingSqliteStore:
    """The same with a configuration that is there already."""
    if config.database_url.startswith("sqlite:"):
        from jobplane.store.sqlite.blocking import BlockingSqliteStore

        return BlockingSqliteStore(_path(config), driver=sqlite, **time)
    stack = ExitStack()
    server = _ready(stack, config)
    settings = _settings(server, config)
    return _BlockingHosted(replace(settings, max_connections=1, idle_seconds=2.0) if frugal else settings, stack)


async def connect(url: str | None = None, *, sqlite: Driver = "apsw") -> PostgresStore | SqliteStore:
    """A store for a program with an event loop."""
    return await open_async(configuration.load({"database_url": url}), sqlite)


async def open_async(config: Config, sqlite: Driver = "apsw", **time: Unpack[Time]) -> PostgresStore | SqliteStore:
    """The same with a configuration that is there already."""
    if config.database_url.startswith("sqlite:"):
        from jobplane.store.sqlite.store import SqliteStore

        return SqliteStore(_path(config), driver=sqlite, **time)
    stack = ExitStack()
    server = await asyncio.to_thread(_ready, stack, config)
    return _Hosted(_settings(server, config), stack)


def shared_url(config: Config) -> tuple[str, object]:
    """Where several stores find the same database, and what they hold on to: the file of `:memory:` goes with it."""
    from jobplane.store.sqlite.place import MEMORY, Place

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


def _path(config: Config) -> str:
    return config.database_url.removeprefix("sqlite:///")


def _ready(stack: ExitStack, config: Config) -> Server:
    """The server of the configuration, with its schema where nobody else would bring it."""
    with ExitStack() as opening:
        server = opening.enter_context(open_server(config))
        if has_one_owner(config):
            migrations.up(server.urls["owner"], trust=config.trust)
        stack.push(opening.pop_all())
    return server


class _BlockingHosted(BlockingPostgresStore):
    """Holds on to the server that it may have started."""

    def __init__(self, settings: Settings, held: ExitStack) -> None:
        super().__init__(settings)
        self._held = held

    def close(self) -> None:
        super().close()
        self._held.close()


class _Hosted(PostgresStore):
    def __init__(self, settings: Settings, held: ExitStack) -> None:
        super().__init__(settings)
        self._held = held

    async def close(self) -> None:
        await super().close()
        await asyncio.to_thread(self._held.close)


@dataclass(frozen=True, slots=True)
class WorkerStores:
    """The connections of one worker, and what it holds on to: an embedded server stays while it works."""

    claims: LineStore
    settles: LineStore
    keeps: LineStore
    ear: Ear | None
    held: ExitStack

    async def close(self) -> None:
        if self.ear is not None:
            await self.ear.close()
        for store in (self.claims, self.settles, self.keeps):
            await store.close()
        await asyncio.to_thread(self.held.close)


async def open_worker_stores(config: Config, *, deadline_seconds: float = 10.0) -> WorkerStores:
    """Three stores of one connection each, and one that listens where a direct connection is to be had.

    A call ends after `deadline_seconds`. All connect at their first use.
    """
    if config.database_url.startswith("sqlite:"):
        return _on_a_file(config, deadline_seconds)
    stack = ExitStack()
    server = await asyncio.to_thread(_ready, stack, config)
    settings = replace(_settings(server, config), session=f"-c statement_timeout={round(deadline_seconds * 1000)}")
    admission = Admission(settings, "worker")

    def store() -> PostgresLineStore:
        return PostgresLineStore(settings, admission, deadline_seconds=deadline_seconds)

    return WorkerStores(store(), store(), store(), _ear(settings, config), stack)


def _ear(settings: Settings, config: Config) -> PostgresEar | None:
    """Nobody hears a notification through a pooler in transaction mode."""
    if config.listen_url:
        return PostgresEar(replace(settings, urls={**settings.urls, "worker": config.listen_url}, pooler="none"))
    return PostgresEar(settings) if config.pooler == "none" else None


def _on_a_file(config: Config, deadline_seconds: float) -> WorkerStores:
    """One store does for all: a file has one writer at a time."""
    from jobplane.store.sqlite.lines import SqliteLineStore

    store = SqliteLineStore(_path(config), busy_seconds=deadline_seconds)
    return WorkerStores(store, store, store, None, ExitStack())


@contextmanager
def kept_up(server: Server, config: Config) -> Generator[None]:
    """Keep jobs moving, in a thread of its own, until the block ends."""
    stopping = threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(_keep_up(server, config, stopping)), name="upkeep")
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()


async def _keep_up(server: Server, config: Config, stopping: threading.Event) -> None:
    async with open_store(server, config) as store:
        await Upkeep(store, vacuum=store.vacuum).run(stopping)
