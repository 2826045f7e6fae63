"""The composition root: the one module that knows the concrete stores and the embedded server."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args

from jobplane import config as configuration
from jobplane.config import Config, Role
from jobplane.control.upkeep import Upkeep
from jobplane.embedded import EmbeddedServer, parse_embedded_url
from jobplane.store.base import Driver
from jobplane.store.postgres import migrate as migrations
from jobplane.store.postgres import source
from jobplane.store.postgres.blocking import BlockingPostgresStore
from jobplane.store.postgres.calls.call import Role as Login
from jobplane.store.postgres.settings import Settings
from jobplane.store.postgres.store import PostgresStore

if TYPE_CHECKING:
    from jobplane.store.sqlite.blocking import BlockingSqliteStore
    from jobplane.store.sqlite.store import SqliteStore

__all__ = [
    "ROLES",
    "Server",
    "back_up",
    "connect",
    "connect_blocking",
    "has_one_owner",
    "is_embedded",
    "kept_up",
    "migrations",
    "open_server",
    "open_store",
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


def connect_blocking(url: str | None = None, *, sqlite: Driver = "apsw") -> BlockingPostgresStore | BlockingSqliteStore:
    """A store for a program without an event loop; `close` also lets an embedded server go."""
    config = configuration.load({"database_url": url})
    if config.database_url.startswith("sqlite:"):
        from jobplane.store.sqlite.blocking import BlockingSqliteStore

        return BlockingSqliteStore(_path(config), driver=sqlite)
    stack = ExitStack()
    server = _ready(stack, config)
    return _BlockingHosted(_settings(server, config), stack)


async def connect(url: str | None = None, *, sqlite: Driver = "apsw") -> PostgresStore | SqliteStore:
    """The same for a program with an event loop."""
    config = configuration.load({"database_url": url})
    if config.database_url.startswith("sqlite:"):
        from jobplane.store.sqlite.store import SqliteStore

        return SqliteStore(_path(config), driver=sqlite)
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
