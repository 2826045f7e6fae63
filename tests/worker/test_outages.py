from __future__ import annotations

from pathlib import Path

from jobplane import JobStatus
from tests.database import Database
from tests.worker.outage import shut_out
from tests.worker.stage import HASTY, Stage, until


def test_a_short_outage_is_seen_from_outside_and_costs_no_attempt(stage: Stage, db: Database, tmp_path: Path) -> None:
    worker = stage.started("--http", "127.0.0.1:0", lease_seconds="60", program=HASTY)
    job = stage.enqueue("wait", mark=str(tmp_path / "mark"))
    until(lambda: stage.is_running(job))
    assert worker.get("/readyz") == (200, {"status": "ok", "wrong": []})

    stage.jp.close()
    with shut_out(db):
        (tmp_path / "mark").touch()
        until(lambda: worker.get("/readyz")[0] == 503)
        assert worker.get("/healthz")[0] == 200

    until(lambda: worker.get("/readyz")[0] == 200)
    assert stage.ended(job).status is JobStatus.SUCCEEDED
    assert stage.jp.get(job).attempts == 1
    worker.until("database_found")
    assert len(worker.lines("database_lost")) == 1


def test_a_worker_waits_for_a_database_that_is_not_there_yet_and_says_so_once(stage: Stage, db: Database) -> None:
    with shut_out(db):
        worker = stage.worker("--http", "127.0.0.1:0")
        worker.until("waiting_for_database")
        assert worker.get("/readyz") == (
            503,
            {"status": "failing", "wrong": ["The worker is starting. It waits for the database."]},
        )

    worker.until("worker_started")
    assert len(worker.lines("waiting_for_database")) == 1


def test_a_worker_can_be_stopped_while_it_waits(stage: Stage, db: Database) -> None:
    with shut_out(db):
        worker = stage.worker()
        worker.until("waiting_for_database")

        worker.stop()

        assert worker.left() == 0
