from collections.abc import Iterator
from pathlib import Path

import pytest

from jobplane.embedded import EmbeddedServer
from tests.cli.desk import Desk
from tests.client import BlockingSqliteStore
from tests.migrations.cluster import Database, new_database, running


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    with running(tmp_path_factory.mktemp("cluster"), roles=True) as started:
        yield started


@pytest.fixture
def database(server: EmbeddedServer) -> Database:
    return new_database(server)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with BlockingSqliteStore(tmp_path / "jobs.db") as store:
        yield Desk(tmp_path / "jobs.db", store)
