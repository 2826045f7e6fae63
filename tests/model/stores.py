"""Each store that is held to the specification, opened fresh for one history."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest

from jobplane.store.postgres.calls.call import Role
from jobplane.store.postgres.settings import Settings
from tests.client import BlockingPostgresStore, BlockingSqliteStore
from tests.clock import Clock, FileClock
from tests.conformance.backend import PostgresAudit, SqliteAudit
from tests.database import Cluster, Database
from tests.model.mutants import POSTGRES, SQLITE
from tests.model.slips import Slip, slip_in_postgres, slip_in_sqlite
from tests.model.world import World

ROLES: Final[tuple[Role, ...]] = ("app", "worker", "scheduler", "admin", "maintenance")
NAMES: Final = ("postgresql", "sqlite")


def fresh(name: str, cluster: Cluster) -> AbstractContextManager[World]:
    """The store of this name, empty but for the cast."""
    return postgres(cluster) if name == "postgresql" else sqlite()


@contextmanager
def mistaken(name: str, mistake: str, cluster: Cluster) -> Generator[World]:
    """The same with a mistake in it."""
    with pytest.MonkeyPatch.context() as patch:
        if name == "sqlite":
            slip_in_sqlite(patch, SQLITE[mistake])
        with postgres(cluster, POSTGRES[mistake]) if name == "postgresql" else sqlite() as world:
            yield world


@contextmanager
def postgres(cluster: Cluster, slips: Sequence[Slip] = ()) -> Generator[World]:
    """PostgreSQL, on a copy of the template."""
    with cluster.fresh() as database:
        slip_in_postgres(database, slips)
        with _over(database) as world:
            yield world


@contextmanager
def _over(database: Database) -> Generator[World]:
    clock = Clock.take_over(database)
    urls: dict[Role, str] = {role: database.url(role) for role in ROLES}
    pooler = "transaction" if database.cluster.host else "none"
    with BlockingPostgresStore(Settings(urls=urls, pooler=pooler, allow_unsafe_durability=True)) as store:
        world = World(store, clock, PostgresAudit(database))
        world.furnish()
        yield world


@contextmanager
def sqlite() -> Generator[World]:
    """SQLite, on a file of its own."""
    with TemporaryDirectory() as directory:
        path = Path(directory) / "jobs.db"
        clock = FileClock(path.with_name("clock")).take_over()
        with BlockingSqliteStore(path, clock=clock.microseconds, dice=clock.throw) as store:
            world = World(store, clock, SqliteAudit(path))
            world.furnish()
            yield world
