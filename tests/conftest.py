from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncGenerator, Generator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final

import pytest
from hypothesis import settings

from jobplane.store.postgres.calls.call import Role
from jobplane.store.postgres.settings import Settings
from tests import memory, programs
from tests.client import PostgresStore
from tests.clock import Clock, clocked
from tests.database import Cluster, Database, running
from tests.rewinding import Shelf

# How long an example takes is no finding: a busy machine hesitates now and then.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

ROLES: Final[tuple[Role, ...]] = ("app", "worker", "scheduler", "admin", "maintenance")


def pytest_configure(config: pytest.Config) -> None:
    """The controller takes the run's directory; its worker processes find it in their environment.

    `tmp_path` is in it too, unless `--basetemp` names another place: an embedded server that starts on a disk waits
    five seconds for it.
    """
    if not hasattr(config, "workerinput"):
        whole_run = ExitStack()
        whole_run.enter_context(memory.taken())
        config.add_cleanup(whole_run.close)
        if not config.option.basetemp and memory.runs_programs():
            config.option.basetemp = memory.directory() / "tmp"


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def cluster() -> Generator[Cluster]:
    """One server for the run; each worker process of the run has templates of its own."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    with running(memory.directory() / "postgres", f"template_{worker}") as cluster:
        yield cluster


@pytest.fixture(scope="session")
def shelf(cluster: Cluster) -> Generator[Shelf]:
    with closing(Shelf(cluster)) as shelf:
        yield shelf


@pytest.fixture(autouse=True)
def no_program_outlives_its_test() -> Generator[None]:
    yield
    programs.end_all()


@pytest.fixture
def scratch() -> Generator[Path]:
    """A directory in memory, for a test that does not ask what a disk does."""
    with tempfile.TemporaryDirectory(dir=memory.directory()) as path:
        yield Path(path)


@pytest.fixture
def db(request: pytest.FixtureRequest, cluster: Cluster) -> Generator[Database]:
    """A database of the test's own; one that has a clock to take over if the test will."""
    with cluster.fresh(_template(request, cluster)) as database:
        yield database


@pytest.fixture
def rewound_db(request: pytest.FixtureRequest, cluster: Cluster, shelf: Shelf) -> Generator[Database]:
    """The same in a third of the time, for tests that do not look at rights and policies: `db` of some directories.

    A pooler would still hold connections of the test before, so with one each database is new.
    """
    template = _template(request, cluster)
    with cluster.fresh(template) if cluster.host else shelf.lent(template) as database:
        yield database


def _template(request: pytest.FixtureRequest, cluster: Cluster) -> str:
    return clocked(cluster) if "clock" in request.fixturenames else cluster.template


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
