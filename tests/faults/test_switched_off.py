"""What somebody changes in the database under a running worker: a definition switched off, the worker forgotten."""

from __future__ import annotations

from typing import Final

from tests.faults.sizes import on_both, on_one, size
from tests.faults.stage import Stage
from tests.faults.waiting import until

SLOTS: Final = 2
JOBS: Final = size(8, 60)
FORGOTTEN_SECONDS: Final = 10.0  # a sign of life every 5 s finds out; then a sweep of what was held, and a poll
_HELD: Final = "select count(*) from jobplane.held where reason = 'definition_inactive'"


@on_both
def test_jobs_of_a_definition_that_is_switched_off_wait_until_it_is_on_again(stage: Stage) -> None:
    stage.ready_worker(worker_concurrency=str(SLOTS), worker_prefetch="0")
    jobs = stage.enqueue("nap", JOBS, max_attempts=1, seconds=0.2)
    until(lambda: stage.started(jobs) >= SLOTS, 10, "a busy worker")

    stage.place.store.put_definitions([{"key": "nap", "active": False}])
    until(lambda: stage.place.peek(_HELD)[0][0] == JOBS - stage.started(jobs), 10, "all others are held")
    until(lambda: not stage.leases(), 10, "the end of what ran")
    started = stage.started(jobs)
    assert stage.place.peek(_HELD)[0][0] == JOBS - started > 0
    neighbours = stage.enqueue("quick", 5)
    until(lambda: stage.started(neighbours) == 5, 10, "work of another definition")
    assert stage.started(jobs) == started

    stage.place.store.put_definitions([{"key": "nap", "active": True}])
    stage.drain(within=20 + JOBS * 0.2)

    assert [attempt.outcome for attempt in stage.attempts()] == ["succeeded"] * (JOBS + 5)


@on_one
def test_a_worker_that_was_forgotten_makes_itself_known_again(stage: Stage) -> None:
    worker = stage.ready_worker()
    running = stage.enqueue("nap", max_attempts=1, seconds=1)
    until(lambda: stage.started(running) == 1, 10, "its start")

    stage.place.peek("delete from jobplane.workers")
    fresh = stage.enqueue("quick", 5)
    until(lambda: stage.place.peek("select 1 from jobplane.workers"), FORGOTTEN_SECONDS, "its registration")
    until(lambda: stage.started(fresh) == 5, FORGOTTEN_SECONDS, "work after it")
    stage.drain(within=20)

    until(lambda: worker.log().count("registered_again") == 1, 5, "a line that says so")
    assert [attempt.outcome for attempt in stage.attempts()] == ["succeeded"] * 6
