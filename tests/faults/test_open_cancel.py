"""An application cancels a running job and does not commit for three leases: its neighbours do not notice."""

from __future__ import annotations

from typing import Final

from tests.database import Database
from tests.faults.places import ALICE
from tests.faults.sizes import on_postgres, size
from tests.faults.stage import Stage
from tests.faults.waiting import pause, until
from tests.faults.workers import LEASE_SECONDS
from tests.races.hands import App

LEASES: Final = size(1.4, 3)


@on_postgres
def test_an_open_cancel_hurts_no_neighbour(stage: Stage, db: Database) -> None:
    worker = stage.ready_worker()
    seconds = LEASES * LEASE_SECONDS
    jobs = stage.enqueue("nap", 6, max_attempts=1, seconds=seconds + 1)
    until(lambda: stage.started() == len(jobs), 20, "their start")
    executors = worker.executors()
    app = App(db.connect("app", autocommit=False), ALICE)

    app.cancel(jobs[0])
    pause(seconds)
    assert set(executors) <= set(worker.executors())
    app.commit()
    stage.drain(within=20)

    statuses = stage.statuses()
    assert statuses[str(jobs[0])] == "canceled"
    assert {statuses[str(job)] for job in jobs[1:]} == {"succeeded"}
    assert len(stage.attempts()) == len(jobs)
