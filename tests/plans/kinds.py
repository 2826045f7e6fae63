"""What the planner may believe of the same hundred thousand jobs."""

from tests.database import Database
from tests.plans.seed import FULL, STATES, drain, fill, maintain


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
