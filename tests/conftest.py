from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Generator
from typing import Final

import pytest

from jobplane.store.postgres.calls.call import Role
from jobplane.store.postgres.settings import Settings
from jobplane.store.postgres.store import PostgresStore
from tests.clock import Clock
from tests.database import Cluster, Database, running

ROLES: Final[tuple[Role, ...]] = ("app", "worker", "scheduler", "admin", "maintenance")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Generator[Cluster]:
    """One server for the run; each worker process of the run has a template of its own."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    base = tmp_path_factory.getbasetemp()
    with running((base if worker == "main" else base.parent) / "postgres", f"template_{worker}") as cluster:
        yield cluster


@pytest.fixture
def db(cluster: Cluster) -> Generator[Database]:
    with cluster.fresh() as database:
        yield database


@pytest.fixture
def clock(db: Database) -> Clock:
    """The test's own clock: it starts at noon of 2026-01-01 and stands still. The dice show 0.5."""
    return Clock.take_over(db)


@pytest.fixture
async def store(db: Database) -> AsyncGenerator[PostgresStore]:
    """The store under test, one login for each role."""
    urls: dict[Role, str] = {role: db.url(role) for role in ROLES}
    pooler = "transaction" if db.cluster.host else "none"
    async with PostgresStore(Settings(urls=urls, pooler=pooler, allow_unsafe_durability=True)) as store:
        yield store
