"""The composition root: the one module that knows the concrete stores and the embedded server."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, get_args

from jobplane.config import Config, Role
from jobplane.control.upkeep import Upkeep
from jobplane.embedded import EmbeddedServer, parse_embedded_url
from jobplane.store.postgres import migrate as migrations
from jobplane.store.postgres import source
from jobplane.store.postgres.calls.call import Role as Login
from jobplane.store.postgres.settings import Settings
from jobplane.store.postgres.store import PostgresStore

__all__ = ["ROLES", "Server", "is_embedded", "kept_up", "migrations", "open_server", "open_store"]

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
    settings = Settings(
        urls={role: server.urls[role] for role in get_args(Login)},
        pooler=config.pooler,
        trust=config.trust,
        allow_unsafe_durability=config.allow_unsafe_durability,
    )
    return PostgresStore(settings)


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
        await Upkeep(store).run(stopping)
