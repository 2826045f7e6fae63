"""Idle workers ask little of their database, and are late for nothing."""

from __future__ import annotations

from typing import Final

import pytest

from tests.database import Database
from tests.faults.checker import at
from tests.faults.sizes import in_full, on_postgres
from tests.faults.stage import Stage
from tests.faults.waiting import PATIENCE, pause, until
from tests.worker.transactions import transactions_a_second

USUAL: Final = {"poll_seconds": "1", "lease_seconds": "30"}
CALM_SECONDS: Final = 15.0  # after which workers that hear of each other's upkeep poll less
MINUTE: Final = 60.0
SCHEDULED: Final = 200


@pytest.mark.quiet
@in_full
@on_postgres
@pytest.mark.parametrize(("workers", "most"), [(1, 3.0), (20, 30.0)])
def test_idle_workers_make_few_transactions(stage: Stage, db: Database, workers: int, most: float) -> None:
    stage.ready_workers(workers, **USUAL)
    pause(CALM_SECONDS)

    counted = transactions_a_second(db, MINUTE)
    stage.enqueue("quick")
    stage.drain(within=PATIENCE)

    print(f"{workers}: {counted:.2f} transactions a second")  # noqa: T201 shown with a failure
    assert counted <= most


@pytest.mark.quiet
@in_full
@on_postgres
def test_a_scheduled_job_of_an_idle_worker_starts_within_a_second_of_its_time(stage: Stage) -> None:
    """Of jobs that are due at once, soon or later: the shorter the time, the later the upkeep may learn of them."""
    stage.ready_worker(**USUAL)
    pause(CALM_SECONDS)
    for _ in range(SCHEDULED):
        stage.enqueue("quick", delay_seconds=stage.dice.choice((0.05, 0.5, 1.0, stage.dice.uniform(0, 3))))
        pause(stage.dice.uniform(0.1, 0.5))
    stage.drain(within=PATIENCE)

    due_at = {job.id: job.scheduled_for - stage.offset for job in stage.history().jobs}
    late = sorted(event.at - due_at[event.job] for event in stage.recorder.having("start") if event.job)
    print(f"late by {at(late, 50):.3f} s at p50, {at(late, 99):.3f} s at p99")  # noqa: T201 shown with a failure
    assert len(late) == SCHEDULED
    assert at(late, 99) <= 1.0


@pytest.mark.quiet
@in_full
@on_postgres
def test_a_job_that_nobody_told_of_is_found_as_soon_as_by_a_poll(stage: Stage, db: Database) -> None:
    """Any login can keep producers from telling. The upkeep tells instead, so idle workers need not look so often."""
    stage.ready_workers(2, **USUAL)
    [(queue,)] = db.peek("select queue_id from jobplane.queues where name = 'default'")
    stranger = db.connect("stranger", autocommit=False)
    for place in (74000, 74001):
        stranger.execute("select pg_advisory_lock(%s, %s)", [place, queue])
    pause(CALM_SECONDS)

    late: list[float] = []
    for _ in range(10):
        late.append(stage.start_delay(stage.enqueue("quick")))
        pause(stage.dice.uniform(0.5, 1.5))
    stage.drain(within=PATIENCE)

    assert at(sorted(late), 90) <= 2.0


@in_full
@on_postgres
def test_when_the_worker_that_does_the_upkeep_is_killed_another_does_it(stage: Stage, db: Database) -> None:
    workers = {worker.worker_id: worker for worker in stage.ready_workers(2, **USUAL)}
    pause(CALM_SECONDS)
    [(name,)] = db.peek("select done_by from jobplane.upkeep")

    workers[name].kill()
    [job] = stage.enqueue("quick", delay_seconds=0.5)

    assert until(lambda: stage.started([job]), PATIENCE, "its start") <= 10
    stage.drain(within=PATIENCE)
