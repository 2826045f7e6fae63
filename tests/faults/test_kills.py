"""kill -9 at random moments: what a dead worker held runs again, and soon."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import pytest

from tests.faults.history import Event
from tests.faults.sizes import in_full, on_both, on_other, size
from tests.faults.stage import Stage
from tests.faults.waiting import until
from tests.faults.workers import WorkerProcess

JOBS: Final = 300
KILLS: Final = size(2, 12)
BACK_SECONDS: Final = 8.0  # a lease of 5, renewed while it ran; a reaper that looks twice a second on a busy machine

# The settings of a worker, and how soon another one that has room runs what a dead one held: the lease,
# a reaper's look, the jitter of the requeue, a poll.
SHORT: Final[tuple[dict[str, str], float]] = ({}, 8.0)  # those of these tests: a lease of 5
SHIPPED: Final = ({"lease_seconds": "30", "poll_seconds": "1", "grace_seconds": "25"}, 45.0)


def _enqueue_mixed(stage: Stage) -> None:
    for definition in ("nap", "toil", "toil"):
        for _ in range(JOBS // 30):
            stage.enqueue(definition, 10, max_attempts=50, seconds=round(stage.dice.uniform(0, 0.4), 3))


@on_both
def test_what_killed_workers_held_is_in_line_again(stage: Stage) -> None:
    workers = stage.ready_workers(2, worker_name="same")
    _enqueue_mixed(stage)

    with stage.kept_up():
        for kill in range(1, KILLS + 1):
            until(lambda kill=kill: stage.started() >= JOBS * kill / (KILLS + 2), 60, "progress")
            _replace_one(stage, workers)
        stage.drain(within=60)

    assert set(stage.statuses().values()) == {"succeeded"}
    struck = _struck(stage)
    assert struck, "nobody was killed while it ran a job"
    back = {(attempt.job, attempt.attempt_no): attempt.finished_at for attempt in stage.attempts()}
    offset = stage.history().offset
    assert max(back[one.job or "", one.attempt] - offset - one.at for one, _ in struck) <= BACK_SECONDS


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


@pytest.mark.parametrize(
    ("settings", "within"), [SHORT, pytest.param(*SHIPPED, marks=in_full)], ids=["short", "shipped"]
)
@on_both
def test_another_worker_runs_it_soon(stage: Stage, settings: dict[str, str], within: float) -> None:
    victim = stage.ready_worker(**settings)
    jobs = stage.enqueue("toil", 12, seconds=60, again=0.1)
    until(lambda: stage.started() == len(jobs), 20, "their start")
    other = stage.ready_worker(**settings)

    victim.kill()
    until(lambda: stage.recorder.count("start", boss=other.pid) == len(jobs), within, "their next attempt")
    stage.drain(within=20)

    assert set(stage.statuses().values()) == {"succeeded"}
    assert max(other.at - one.at for one, other in _struck(stage)) <= within


@on_other
def test_a_killed_executor_spends_nobodys_attempt(stage: Stage) -> None:
    worker = stage.ready_worker(worker_concurrency="8", worker_prefetch="40")
    stage.enqueue("toil", 24, max_attempts=1, seconds=0.3)
    until(lambda: stage.started() >= 8, 30, "a full executor")

    worker.kill_executor()
    stage.drain(within=40)

    assert set(stage.statuses().values()) == {"succeeded"}
    assert {attempt.reason for attempt in stage.attempts("released")} <= {"suspect", "unstarted"}
