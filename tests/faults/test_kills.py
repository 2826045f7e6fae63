"""kill -9 at random moments: what a dead worker held runs again, and soon."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from tests.faults.history import Event
from tests.faults.sizes import in_full, on_both, on_other, size
from tests.faults.stage import Stage
from tests.faults.waiting import until
from tests.faults.workers import WorkerProcess

JOBS: Final = 300
KILLS: Final = size(2, 12)
AGAIN_SECONDS: Final = 8.0  # a lease of 5, a reaper's look twice a second, the jitter of the requeue, a poll
SHIPPED_SECONDS: Final = 45.0  # the same with the lease of 30 and the poll of 1 that a worker has by default


def _enqueue_mixed(stage: Stage) -> None:
    for definition in ("nap", "toil", "toil"):
        for _ in range(JOBS // 30):
            stage.enqueue(definition, 10, max_attempts=50, seconds=round(stage.dice.uniform(0, 0.4), 3))


@on_both
def test_what_killed_workers_held_runs_again(stage: Stage) -> None:
    workers = stage.ready_workers(2, worker_name="same")
    _enqueue_mixed(stage)

    with stage.kept_up():
        for kill in range(1, KILLS + 1):
            until(lambda kill=kill: stage.started() >= JOBS * kill / (KILLS + 2), 60, "progress")
            _replace_one(stage, workers)
        stage.drain(within=60)

    assert set(stage.statuses().values()) == {"succeeded"}
    again = [other.at - one.at for one, other in _struck(stage)]
    assert again, "nobody was killed while it ran a job"
    assert max(again) <= AGAIN_SECONDS


def _replace_one(stage: Stage, workers: list[WorkerProcess]) -> None:
    """Kill either, once both are at work; the next one comes under the same name."""
    until(lambda: all(worker.is_ready() for worker in workers), 60, "two workers")
    victim = workers.pop(stage.dice.randrange(2))
    victim.kill()
    workers.append(stage.worker(worker_name="same"))


def _struck(stage: Stage) -> list[tuple[Event, Event]]:
    """Starts that came to nothing, as the moment of the last sign of life, with the start that followed."""
    runs = stage.history().runs()
    lives = {(event.job, event.attempt): event for event in stage.history().of("start", "effect")}
    return [(lives[one.job, one.attempt], other) for starts in runs.values() for one, other in pairwise(starts)]


@in_full
@on_both
def test_with_the_shipped_settings_it_runs_again_within_45_seconds(stage: Stage) -> None:
    shipped = {"lease_seconds": "30", "poll_seconds": "1", "grace_seconds": "25"}
    victim = stage.ready_worker(**shipped)
    jobs = stage.enqueue("toil", 12, seconds=60, again=0.1)
    until(lambda: stage.started() == len(jobs), 20, "their start")
    other = stage.ready_worker(**shipped)

    victim.kill()
    until(lambda: stage.recorder.count("start", boss=other.pid) == len(jobs), SHIPPED_SECONDS, "their next attempt")
    stage.drain(within=20)

    assert set(stage.statuses().values()) == {"succeeded"}
    assert max(other.at - one.at for one, other in _struck(stage)) <= SHIPPED_SECONDS


@on_other
def test_a_killed_executor_spends_nobodys_attempt(stage: Stage) -> None:
    worker = stage.ready_worker(worker_concurrency="8", worker_prefetch="40")
    stage.enqueue("toil", 24, max_attempts=1, seconds=0.3)
    until(lambda: stage.started() >= 8, 30, "a full executor")

    worker.kill_executor()
    stage.drain(within=40)

    assert set(stage.statuses().values()) == {"succeeded"}
    assert {attempt.reason for attempt in stage.attempts("released")} <= {"suspect", "unstarted"}
