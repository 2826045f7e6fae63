"""kill -9 at random moments: what a dead worker held runs again, and soon."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import pytest

from tests.faults.history import Event
from tests.faults.sizes import on_both, on_other, size, slow
from tests.faults.stage import Stage
from tests.faults.waiting import PATIENCE, until
from tests.faults.workers import WorkerProcess

JOBS: Final = 300
KILLS: Final = size(2, 12)
ORPHANED_SECONDS: Final = 2.0  # how long an executor outlives its supervisor

# How soon another worker that has room runs what a dead one held: the lease, a reaper's look, the jitter of the
# requeue, a poll. With the settings of these tests a lease lasts 5 s and somebody reaps twice a second.
BACK_SECONDS: Final = 8.0
SHIPPED: Final = {"lease_seconds": "30", "poll_seconds": "1", "grace_seconds": "25"}
SHIPPED_BACK_SECONDS: Final = 45.0


def _enqueue_mixed(stage: Stage) -> None:
    for definition in ("nap", "toil", "toil"):
        for _ in range(JOBS // 30):
            stage.enqueue(definition, 10, max_attempts=50, seconds=round(stage.dice.uniform(0, 0.4), 3))


@pytest.mark.quiet
@on_both
def test_what_killed_workers_held_is_in_line_again(stage: Stage) -> None:
    workers = stage.ready_workers(2, worker_name="same")
    _enqueue_mixed(stage)

    with stage.kept_up():
        for kill in range(1, KILLS + 1):
            until(lambda kill=kill: stage.started() >= JOBS * kill / (KILLS + 2), PATIENCE, "progress")
            _replace_one(stage, workers)
        stage.drain(within=60)

    assert set(stage.statuses().values()) == {"succeeded"}
    struck = _struck(stage)
    assert struck, "nobody was killed while it ran a job"
    killed_at = {event.boss: event.at + stage.offset for event in stage.recorder.having("broken")}
    back_at = {(attempt.job, attempt.attempt_no): attempt.finished_at for attempt in stage.attempts()}
    assert max(back_at[one.job or "", one.attempt] - killed_at[one.boss] for one in struck) <= BACK_SECONDS
    assert max(window.until - window.since for window in stage.history().windows()) <= ORPHANED_SECONDS


def _replace_one(stage: Stage, workers: list[WorkerProcess]) -> None:
    """Kill either, once both are at work; the next one comes under the same name."""
    until(lambda: all(worker.is_ready() for worker in workers), PATIENCE, "two workers")
    victim = workers.pop(stage.dice.randrange(2))
    victim.kill()
    workers.append(stage.worker(worker_name="same"))


def _struck(stage: Stage) -> list[Event]:
    """The starts that came to nothing."""
    return [one for starts in stage.history().runs().values() for one, _ in pairwise(starts)]


@pytest.mark.quiet
@on_both
def test_another_worker_runs_it_soon(stage: Stage) -> None:
    with stage.kept_up():
        assert _seconds_until_back(stage) <= BACK_SECONDS


@slow
@on_both
def test_another_worker_runs_it_soon_with_the_settings_that_are_shipped(stage: Stage) -> None:
    assert _seconds_until_back(stage, **SHIPPED) <= SHIPPED_BACK_SECONDS


def _seconds_until_back(stage: Stage, **settings: str) -> float:
    """From the kill to the last claim of what the dead one had begun, by the database's own record."""
    victim = stage.ready_worker(**settings)
    jobs = stage.enqueue("toil", 12, seconds=600, again=0.1)
    until(lambda: stage.started() == len(jobs), PATIENCE, "their start")
    other = stage.ready_worker(**settings)

    victim.kill()
    killed_at = stage.recorder.having("broken")[0].at + stage.offset
    until(lambda: stage.recorder.count("start", boss=other.pid) == len(jobs), 2 * PATIENCE, "their next attempt")
    stage.drain(within=60)

    assert set(stage.statuses().values()) == {"succeeded"}
    return max(attempt.started_at for attempt in stage.attempts("succeeded")) - killed_at


@on_other
def test_a_killed_executor_spends_nobodys_attempt(stage: Stage) -> None:
    worker = stage.ready_worker(worker_concurrency="8", worker_prefetch="40")
    stage.enqueue("toil", 24, max_attempts=2, seconds=0.3)
    until(lambda: stage.started() >= 8, PATIENCE, "a full executor")

    worker.kill_executor()
    stage.drain(within=60)

    assert set(stage.statuses().values()) == {"succeeded"}
    assert {attempt.outcome for attempt in stage.attempts()} == {"succeeded", "released"}
    assert {attempt.reason for attempt in stage.attempts("released")} <= {"suspect", "unstarted"}
