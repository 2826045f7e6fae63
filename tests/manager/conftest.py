from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from jobplane.api.manager import AsyncJobManager, JobManager
from jobplane.store.postgres.calls.call import Role
from jobplane.store.postgres.settings import Settings
from tests.client import BlockingPostgresStore, BlockingSqliteStore, BlockingStore, PostgresStore, SqliteStore, Store
from tests.clock import Clock
from tests.conftest import ROLES
from tests.database import Database
from tests.manager.clocks import FileClock, Hands
from tests.manager.hand import Desk, awaited


@dataclass
class Postgres:
    db: Database

    def settings(self) -> Settings:
        urls: dict[Role, str] = {role: self.db.url(role) for role in ROLES}
        pooler = "transaction" if self.db.cluster.host else "none"
        return Settings(urls=urls, pooler=pooler, allow_unsafe_durability=True)

    def store(self) -> PostgresStore:
        return PostgresStore(self.settings())

    def blocking(self) -> BlockingPostgresStore:
        return BlockingPostgresStore(self.settings())

    def clock(self) -> Hands:
        return Clock.take_over(self.db)


@dataclass
class Sqlite:
    path: Path
    time: FileClock = field(default_factory=FileClock)

    def store(self) -> SqliteStore:
        return SqliteStore(self.path, clock=self.time)

    def blocking(self) -> BlockingSqliteStore:
        return BlockingSqliteStore(self.path, clock=self.time)

    def clock(self) -> Hands:
        self.time.stop()
        return self.time


@pytest.fixture
def db(rewound_db: Database) -> Database:
    return rewound_db


@pytest.fixture(params=["postgres", "sqlite"])
def backend(request: pytest.FixtureRequest, scratch: Path) -> Postgres | Sqlite:
    """Every test runs on each store."""
    if request.param == "sqlite":
        return Sqlite(scratch / "jobs.db")
    return Postgres(request.getfixturevalue("db"))


@pytest.fixture
def clock(backend: Postgres | Sqlite) -> Hands:
    """The store's clock in the test's hand."""
    return backend.clock()


@pytest.fixture
async def store(backend: Postgres | Sqlite) -> AsyncGenerator[Store]:
    async with backend.store() as store:
        yield store


@pytest.fixture
def blocking(backend: Postgres | Sqlite) -> Generator[BlockingStore]:
    with backend.blocking() as store:
        yield store


@pytest.fixture
def desk(backend: Postgres | Sqlite, store: Store, blocking: BlockingStore) -> Desk:
    """One manager for each store: both make the same calls, which are written once."""
    if isinstance(backend, Sqlite):
        return Desk(AsyncJobManager(store), store, lambda: AsyncJobManager(store))
    return Desk(awaited(JobManager(blocking)), store, lambda: awaited(JobManager(blocking)))
