"""A rolling restart under load spends no attempt and loses nothing."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Final

from tests.faults.load import Load
from tests.faults.sizes import on_one, size
from tests.faults.stage import Stage
from tests.faults.waiting import until
from tests.faults.workers import WorkerProcess

GRACE: Final = 2
EXIT_SECONDS: Final = GRACE + size(6, 3)  # 3 is what is promised; every day other tests share the cores
ROUNDS: Final = size(1, 6)
RESTART_SECONDS: Final = 2.0


@on_one
def test_a_rolling_restart_of_three_workers_spends_no_attempt(stage: Stage) -> None:
    workers = stage.ready_workers(3, grace_seconds=str(GRACE))

    with Load(stage, "nap", seconds=0.1):
        for _ in range(ROUNDS):
            workers = _roll(stage, workers)
    stage.drain(within=30)

    assert set(stage.statuses().values()) == {"succeeded"}
    assert {attempt.outcome for attempt in stage.attempts()} == {"succeeded", "released"}
    assert any(attempt.reason == "shutdown" for attempt in stage.attempts("released"))
    assert _waits(stage) <= RESTART_SECONDS


def _roll(stage: Stage, old: list[WorkerProcess]) -> list[WorkerProcess]:
    """As a deploy does: each new one is there before an old one leaves; some of its jobs do not end in time."""
    new: list[WorkerProcess] = []
    while old:
        new.append(stage.ready_worker(grace_seconds=str(GRACE)))
        long = [job for _ in range(12) for job in stage.enqueue("nap", max_attempts=1, seconds=GRACE + 3, again=0.1)]
        until(lambda long=long: stage.started(long) == len(long), 20, "the start of the long ones")
        busy = {start.boss for job in long for start in stage.recorder.having("start", job=str(job))}
        leaving = min(old, key=lambda worker: worker.pid not in busy)
        old.remove(leaving)
        _deploy(stage, leaving)
    return new


def _deploy(stage: Stage, leaving: WorkerProcess) -> None:
    leaving.ask_to_stop()
    asked_at = time.monotonic()
    assert leaving.stopped(EXIT_SECONDS) == 0
    assert not [start for start in stage.recorder.having("start", boss=leaving.pid) if start.at > asked_at + 1]


def _waits(stage: Stage) -> float:
    """The longest wait of a released job while there was somebody to take it."""
    tries = stage.history().tries().values()
    pairs = [(one, other) for attempts in tries for one, other in pairwise(attempts)]
    return max(other.started_at - one.finished_at for one, other in pairs if one.reason == "shutdown")
