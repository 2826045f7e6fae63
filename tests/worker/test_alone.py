"""Jobs that run alone, or have to in the end: how they get there, and what that costs the database."""

from __future__ import annotations

import time

from jobplane import JobStatus
from tests.database import Database
from tests.worker.stage import HASTY, Stage, until

APP = "tests.worker.alone"
WATCHED_SECONDS = 5.0


def given_back(db: Database) -> int:
    [[count]] = db.peek("select count(*) from jobplane.attempts where reason = 'unstarted'")
    return count


def held(db: Database) -> int:
    [[count]] = db.peek("select count(*) from jobplane.leases")
    return count


def test_more_of_them_than_places_are_not_claimed_again_and_again(stage: Stage, db: Database) -> None:
    worker = stage.started(worker_imports=APP)
    for _ in range(60):
        stage.enqueue("grind")
    until(lambda: given_back(db))

    time.sleep(WATCHED_SECONDS)

    assert given_back(db) <= 40, "those of the first claim, and a few tries"
    assert not [line for line in worker.lines("attempt_released") if line["level"] == "info"]
    assert len(worker.lines("alone_given_back")) == 1


def test_from_a_queue_of_their_own_none_is_claimed_in_vain(stage: Stage, db: Database) -> None:
    stage.started(worker_imports=APP)
    for _ in range(60):
        stage.enqueue("grind-apart")
    until(lambda: held(db) == 8)
    quick = stage.enqueue("quick")

    assert stage.ended(quick).status is JobStatus.SUCCEEDED
    time.sleep(WATCHED_SECONDS)

    assert given_back(db) == 0
    assert held(db) == 8


def test_what_stands_behind_them_is_reached(stage: Stage, db: Database) -> None:
    stage.started(worker_imports=APP)
    for _ in range(20):
        stage.enqueue("grind")
    until(lambda: given_back(db))

    assert stage.ended(stage.enqueue("quick"), seconds=90).status is JobStatus.SUCCEEDED


def test_a_handler_that_blocks_the_event_loop_can_be_canceled(file_stage: Stage) -> None:
    worker = file_stage.started(worker_imports=APP, program=HASTY)
    nap = file_stage.enqueue("nap", seconds=3)
    until(lambda: file_stage.is_running(nap))
    block = file_stage.enqueue("block")
    until(lambda: file_stage.is_running(block))

    file_stage.jp.cancel(block)

    assert file_stage.ended(block).status is JobStatus.CANCELED
    assert worker.lines("executor_deaf")[0]["level"] == "warning"
    assert file_stage.ended(nap).status is JobStatus.SUCCEEDED
