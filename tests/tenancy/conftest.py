from collections.abc import Generator

import pytest

from tests.database import Cluster, Database
from tests.tenancy.town import Town


@pytest.fixture(scope="session")
def town(cluster: Cluster) -> Generator[Town]:
    """For tests that take back what they do, or do it to themselves alone."""
    with cluster.fresh() as database:
        yield Town(database)


@pytest.fixture
def new_town(db: Database) -> Town:
    """For tests that change the schema."""
    return Town(db)
