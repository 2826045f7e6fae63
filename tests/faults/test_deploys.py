"""A rolling restart under load spends no attempt and loses nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from math import inf
from typing import Final

import pytest

from tests.faults.load import Load
from tests.faults.sizes import in_full, on_one, size
from tests.faults.stage import Stage
from tests.faults.waiting import PATIENCE, until
from tests.faults.workers import WorkerProcess

GRACE: Final = 2
EXIT_SECONDS: Final = GRACE + 3.0
CLAIMING_SECONDS: Final = 1.0  # after it was told to stop
RESTART_SECONDS: Final = 2.0
BUSY: Final = 3  # times as long may it take beside other tests
LONG: Final = 12  # jobs that begin before each restart
LONGEST_SECONDS: Final = size(5, 25)  # of these
LONG_RUNS: Final = [pytest.param("postgres", 300, marks=in_full), pytest.param("sqlite", 60, marks=in_full)]
FOR: Final = pytest.mark.parametrize(("place", "seconds"), [("postgres", 1), *LONG_RUNS], indirect=["place"])


@pytest.mark.quiet
@in_full
@on_one
def test_a_rolling_restart_of_three_workers_spends_no_attempt(stage: Stage) -> None:
    workers = stage.ready_workers(3, grace_seconds=str(GRACE))
    asked_at: dict[str, float] = {}

    with Load(stage, "nap", seconds=0.1):
        _roll(stage, workers, asked_at, lambda: GRACE + 3.0, EXIT_SECONDS)
    stage.drain(within=60)

    _spent_nothing(stage)
    assert _longest_wait(stage) <= RESTART_SECONDS
    assert _late_claims(stage, asked_at) == []


@FOR
def test_rolling_restarts_beside_other_work_spend_no_attempt(stage: Stage, seconds: float) -> None:
    """Once every day, and for minutes."""
    workers = stage.ready_workers(3, grace_seconds=str(GRACE))
    asked_at: dict[str, float] = {}

    with Load(stage, "nap", seconds=0.1):
        until_at = time.monotonic() + seconds
        while time.monotonic() < until_at:
            workers = _roll(
                stage, workers, asked_at, lambda: stage.dice.uniform(0.1, LONGEST_SECONDS), BUSY * EXIT_SECONDS
            )
    stage.drain(within=60)

    _spent_nothing(stage)
    assert _longest_wait(stage) <= BUSY * RESTART_SECONDS
    assert _late_claims(stage, asked_at) == []


def _roll(
    stage: Stage,
    old: list[WorkerProcess],
    asked_at: dict[str, float],
    duration: Callable[[], float],
    exit_seconds: float,
) -> list[WorkerProcess]:
    """As a deploy does: each new one is there before an old one leaves; some of its jobs do not end in time."""
    new: list[WorkerProcess] = []
    while old:
        new.append(stage.ready_worker(grace_seconds=str(GRACE)))
        long = [job for _ in range(LONG) for job in stage.enqueue("nap", max_attempts=2, seconds=duration(), again=0.1)]
        until(lambda long=long: stage.started(long) == len(long), PATIENCE, "the start of the long ones")
        busy = {start.boss for job in long for start in stage.recorder.having("start", job=str(job))}
        leaving = min(old, key=lambda worker: worker.pid not in busy)
        old.remove(leaving)
        leaving.ask_to_stop()
        asked_at[leaving.worker_id] = time.time()
        assert leaving.stopped(exit_seconds) == 0
    return new


def _spent_nothing(stage: Stage) -> None:
    assert set(stage.statuses().values()) == {"succeeded"}
    assert {attempt.outcome for attempt in stage.attempts()} == {"succeeded", "released"}
    assert any(attempt.reason == "shutdown" for attempt in stage.attempts("released"))


def _late_claims(stage: Stage, asked_at: dict[str, float]) -> list[str]:
    """Jobs that were claimed by a worker that had been told to stop, by the database's own record."""
    return [
        attempt.job
        for attempt in stage.attempts()
        if attempt.started_at > asked_at.get(attempt.worker, inf) + CLAIMING_SECONDS
    ]


def _longest_wait(stage: Stage) -> float:
    """Of a released job while there was somebody to take it."""
    tries = stage.history().tries().values()
    pairs = [(one, other) for attempts in tries for one, other in pairwise(attempts)]
    return max(other.started_at - one.finished_at for one, other in pairs if one.reason == "shutdown")
