from collections.abc import Callable, Generator

import pytest

from tests.database import Cluster, Database
from tests.plans.seed import FULL, STATES, drain, fill, maintain, prepare


def seeded(db: Database) -> None:
    """The planner knows what is there."""
    fill(db, FULL)
    maintain(db, "analyze")


def empty(db: Database) -> None:
    """Analyzed before the first job: true sizes, but nothing is known of any column."""
    maintain(db, "analyze")
    fill(db, FULL)


def drained(db: Database) -> None:
    """Vacuumed while no job was left: the tables have pages, and the planner is sure that there is no row on any."""
    fill(db, dict.fromkeys(STATES, 1000))
    drain(db)
    maintain(db, "vacuum (analyze, index_cleanup on, truncate off)")
    fill(db, FULL)


def stale(db: Database) -> None:
    """Analyzed when one tenant had ten jobs in each state."""
    fill(db, dict.fromkeys(STATES, 10), tenants=1)
    maintain(db, "analyze")
    fill(db, FULL)


@pytest.fixture(scope="session", params=[seeded, empty, drained, stale], ids=lambda kind: kind.__name__)
def statistics(request: pytest.FixtureRequest, cluster: Cluster) -> Generator[Database]:
    """The same hundred thousand jobs under other statistics. Tests take back what they do."""
    make: Callable[[Database], None] = request.param
    with cluster.fresh() as database:
        prepare(database)
        make(database)
        yield database
