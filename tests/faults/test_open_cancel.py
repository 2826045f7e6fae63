"""An application cancels a running job and does not commit for three leases: its neighbours do not notice."""

from __future__ import annotations

from typing import Final

from tests.database import Database
from tests.faults.places import ALICE
from tests.faults.sizes import on_postgres, size
from tests.faults.stage import Stage
from tests.faults.waiting import PATIENCE, pause, until
from tests.faults.workers import LEASE_SECONDS
from tests.races.hands import App

LEASES: Final = size(1.4, 3)


@on_postgres
def test_an_open_cancel_hurts_no_neighbour(stage: Stage, db: Database) -> None:
    worker = stage.ready_worker()
    gate = stage.directory / "gate"
    jobs = stage.enqueue("nap", max_attempts=1, seconds=600)
    jobs += stage.enqueue("wait", 5, max_attempts=1, gate=str(gate))
    until(lambda: stage.started() == len(jobs), PATIENCE, "their start")
    executors = worker.executors()
    app = App(db.connect("app", autocommit=False), ALICE)

    app.cancel(jobs[0])
    pause(LEASES * LEASE_SECONDS)
    assert set(executors) <= set(worker.executors())
    app.commit()
    gate.touch()
    stage.drain(within=60)

    statuses = stage.statuses()
    assert statuses[str(jobs[0])] == "canceled"
    assert {statuses[str(job)] for job in jobs[1:]} == {"succeeded"}
    assert len(stage.begun()) == len(jobs)
