from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest

from tests.client import Store, WorkerStore
from tests.clock import Clock, FileClock, clocked
from tests.conformance.backend import Audit, Backend, Kept, PostgresBackend, SqliteBackend
from tests.conformance.factory import Factory
from tests.database import Cluster


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(feature, ...): skip where the store under test lacks one of these")


@pytest.fixture(scope="module")
async def kept_database(cluster: Cluster) -> AsyncGenerator[Kept]:
    """For tests that do not ask what time it is."""
    kept = Kept(cluster, cluster.template)
    yield kept
    await kept.close()


@pytest.fixture(scope="module")
async def kept_database_with_clock(cluster: Cluster) -> AsyncGenerator[Kept]:
    kept = Kept(cluster, clocked(cluster))
    yield kept
    await kept.close()


@pytest.fixture(params=["postgres", "sqlite"])
def place(request: pytest.FixtureRequest, scratch: Path) -> Kept | Backend:
    """Where the store under test is; a SQLite one starts no server, and who names `db` has it to itself."""
    if request.param == "sqlite":
        return SqliteBackend(scratch)
    if "db" in request.fixturenames:
        return PostgresBackend(request.getfixturevalue("db"))
    kept: Kept = request.getfixturevalue("kept_database" + ("_with_clock" if "clock" in request.fixturenames else ""))
    return kept


@pytest.fixture
async def backend(place: Kept | Backend) -> AsyncGenerator[Backend]:
    """The store under test."""
    if not isinstance(place, Kept):
        yield place
    else:
        yield await place.lend()
        await place.take_back()


@pytest.fixture
def clock(backend: Backend) -> Clock | FileClock:
    """The test's own clock: it starts at noon of 2026-01-01 and stands still. The dice show 0.5."""
    return backend.clock()


@pytest.fixture
async def store(backend: Backend) -> AsyncGenerator[Store]:
    async with backend.open() as store:
        yield store


@pytest.fixture
async def worker_store(backend: Backend, store: Store) -> AsyncGenerator[WorkerStore]:
    """The same database as a worker's supervisor has it."""
    async with backend.open_worker_store() as found:
        yield found


@pytest.fixture
async def make(store: Store) -> Factory:
    return await Factory.cast(store)


@pytest.fixture
def audit(backend: Backend) -> Audit:
    return backend.audit


@pytest.fixture(autouse=True)
def one_state(audit: Audit) -> Generator[None]:
    """Whatever a test did, each job is in one state, each limit counts its leases, and no key outlives its job."""
    yield
    assert audit.faults() == []


@pytest.fixture(autouse=True)
def needs(request: pytest.FixtureRequest, backend: Backend) -> None:
    """Skip by feature, never by backend."""
    for mark in request.node.iter_markers("needs"):
        if missing := set(mark.args) - backend.features:
            pytest.skip(f"this store has no {', '.join(sorted(missing))}")
