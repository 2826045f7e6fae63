"""SIGSTOP for two leases: the handlers of a stopped supervisor die before their leases do."""

from __future__ import annotations

from typing import Final

from tests.faults.sizes import on_one, size
from tests.faults.stage import Stage
from tests.faults.waiting import PATIENCE, pause, until
from tests.faults.workers import Vigil

JOBS: Final = size(6, 24)
ROUNDS: Final = size(1, 4)
LEASE_SECONDS: Final = 10  # a tenth of it is what the watchdog leaves to a machine that is busy


@on_one
def test_a_stopped_worker_is_fenced_and_comes_back(stage: Stage) -> None:
    for _ in range(ROUNDS):
        _stop_for_two_leases(stage)
    stage.drain(within=60)

    assert set(stage.statuses().values()) == {"succeeded"}


def _stop_for_two_leases(stage: Stage) -> None:
    """One handler is in C code with the interpreter's lock, the others sleep; another worker takes over."""
    worker = stage.ready_worker(worker_processes="2", lease_seconds=str(LEASE_SECONDS))
    jobs = stage.enqueue("nap", JOBS, seconds=600, again=0.1)
    until(lambda: stage.started(jobs) == JOBS, PATIENCE, "their start")
    held = stage.enqueue("hold-the-gil", seconds=600, again=0.1)
    until(lambda: stage.started(held) == 1, PATIENCE, "the start of what holds the lock")
    starts, executors = stage.recorder.count("start"), worker.executors()

    with Vigil(executors) as vigil:
        worker.freeze()
        vigil.wait()
    expires_at = stage.place.first_expiry()  # nobody is there to reap it
    assert stage.last_pulse(executors) < expires_at, "a lease ended before its handler"
    assert vigil.ended_at < expires_at, "a lease ended before the process that held the lock"
    other = stage.worker()
    until(lambda: stage.recorder.count("start") > starts, PATIENCE, "a start on another worker")
    pause(max(0.0, 2 * LEASE_SECONDS - vigil.seconds))
    worker.thaw()

    fresh = stage.enqueue("quick", 20)
    other.ask_to_stop()
    assert other.stopped(PATIENCE) == 0
    until(lambda: stage.started(fresh) == len(fresh), PATIENCE, "work on the worker that came back")
    worker.end()
