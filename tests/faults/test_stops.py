"""SIGSTOP for two leases: the handlers of a stopped supervisor die before their leases do."""

from __future__ import annotations

import time
from typing import Final

from tests.faults.sizes import on_one, size
from tests.faults.stage import Stage
from tests.faults.waiting import pause, until
from tests.faults.workers import LEASE_SECONDS, is_alive

JOBS: Final = size(6, 24)
ROUNDS: Final = size(1, 4)


@on_one
def test_a_stopped_worker_is_fenced_and_comes_back(stage: Stage) -> None:
    for _ in range(ROUNDS):
        _stop_for_two_leases(stage)
    stage.drain(within=30)

    assert set(stage.statuses().values()) == {"succeeded"}


def _stop_for_two_leases(stage: Stage) -> None:
    """One handler is in C code with the interpreter's lock, the others sleep; another worker takes over."""
    worker = stage.ready_worker(worker_processes="2")
    jobs = stage.enqueue("nap", JOBS, seconds=30, again=0.1)
    until(lambda: stage.started(jobs) == JOBS, 30, "their start")
    held = stage.enqueue("hold-the-gil", seconds=30, again=0.1)
    until(lambda: stage.started(held) == 1, 30, "the start of what holds the lock")
    starts, executors = stage.recorder.count("start"), worker.executors()

    worker.freeze()
    gone = until(lambda: not any(map(is_alive, executors)), LEASE_SECONDS + 1, "the end of its executors")
    assert stage.place.first_expiry() > time.time(), "a lease ended before its handler"
    other = stage.worker()
    until(lambda: stage.recorder.count("start") > starts, 20, "a start on another worker")
    pause(max(0.0, 2 * LEASE_SECONDS - gone))
    worker.thaw()

    fresh = stage.enqueue("quick", 20)
    other.ask_to_stop()
    assert other.stopped(20) == 0
    until(lambda: stage.started(fresh) == len(fresh), 20, "work on the worker that came back")
    worker.end()
