"""An idle worker asks little of its database. The minute, and twenty of them, are in tests/faults."""

from __future__ import annotations

from tests.database import Database
from tests.worker.stage import Stage, until
from tests.worker.transactions import transactions_a_second

SECONDS = 8.0
# Until it has heard that somebody does the upkeep, for nine seconds at most, it polls once a second.
MOST = 3.0 + 1.0 + 5 / SECONDS


def test_an_idle_worker_makes_few_transactions(stage: Stage, db: Database) -> None:
    """Beside other tests too: the count is that of its own database, and a worker that has to wait makes fewer."""
    worker = stage.started("--queue", "default", lease_seconds="30", log_level="debug")
    until(lambda: len(worker.lines("claimed")) > 4)  # what it did at its start has been counted

    assert transactions_a_second(db, SECONDS) <= MOST
