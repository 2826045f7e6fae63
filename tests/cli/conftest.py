from collections.abc import Iterator

import pytest

from jobplane.embedded import EmbeddedServer
from tests.migrations.cluster import Database, new_database, running


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    with running(tmp_path_factory.mktemp("cluster"), roles=True) as started:
        yield started


@pytest.fixture
def database(server: EmbeddedServer) -> Database:
    return new_database(server)
