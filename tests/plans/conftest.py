from collections.abc import Callable, Generator

import pytest

from tests.database import Cluster, Database
from tests.plans.kinds import drained, empty, seeded, stale
from tests.plans.seed import prepare


@pytest.fixture(scope="session", params=[seeded, empty, drained, stale], ids=lambda kind: kind.__name__)
def statistics(request: pytest.FixtureRequest, cluster: Cluster) -> Generator[Database]:
    """A database for each of them. Tests take back what they do."""
    make: Callable[[Database], None] = request.param
    with cluster.fresh() as database:
        prepare(database)
        make(database)
        yield database
