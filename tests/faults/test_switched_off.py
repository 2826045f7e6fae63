"""What somebody changes in the database under a running worker: a definition switched off, the worker forgotten."""

from __future__ import annotations

from typing import Final

from tests.faults.sizes import on_both, on_one, size
from tests.faults.stage import Stage
from tests.faults.waiting import PATIENCE, until

SLOTS: Final = 2
JOBS: Final = size(8, 60)
_HELD: Final = "select count(*) from jobplane.held where reason = 'definition_inactive'"


@on_both
def test_jobs_of_a_definition_that_is_switched_off_wait_until_it_is_on_again(stage: Stage) -> None:
    stage.ready_worker(worker_concurrency=str(SLOTS), worker_prefetch="0")
    gate = stage.directory / "gate"
    jobs = stage.enqueue("wait", JOBS, max_attempts=1, gate=str(gate))
    until(lambda: stage.started(jobs) == SLOTS, PATIENCE, "a busy worker")

    stage.place.store.put_definitions([{"key": "wait", "active": False}])
    gate.touch()
    until(lambda: stage.place.peek(_HELD)[0][0] == JOBS - SLOTS, PATIENCE, "all others are held")
    until(lambda: not stage.leases(), PATIENCE, "the end of what ran")
    neighbours = stage.enqueue("quick", 5)
    until(lambda: stage.started(neighbours) == 5, PATIENCE, "work of another definition")
    assert stage.started(jobs) == SLOTS

    stage.place.store.put_definitions([{"key": "wait", "active": True}])
    stage.drain(within=60)

    assert [attempt.outcome for attempt in stage.begun()] == ["succeeded"] * (JOBS + 5)


@on_one
def test_a_worker_that_was_forgotten_makes_itself_known_again(stage: Stage) -> None:
    worker = stage.ready_worker()
    running = stage.enqueue("nap", max_attempts=1, seconds=1)
    until(lambda: stage.started(running) == 1, PATIENCE, "its start")

    stage.place.peek("delete from jobplane.workers")
    fresh = stage.enqueue("quick", 5)
    until(lambda: stage.place.peek("select 1 from jobplane.workers"), PATIENCE, "its registration")
    until(lambda: stage.started(fresh) == 5, PATIENCE, "work after it")
    stage.drain(within=60)

    until(lambda: worker.log().count("registered_again") == 1, PATIENCE, "a line that says so")
    assert [attempt.outcome for attempt in stage.begun()] == ["succeeded"] * 6
