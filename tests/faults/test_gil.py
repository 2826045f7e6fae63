"""A handler that holds the interpreter's lock for many leases, under a healthy supervisor, is left alone."""

from __future__ import annotations

from typing import Final

from tests.faults.sizes import on_one, size
from tests.faults.stage import Stage
from tests.faults.waiting import PATIENCE, until
from tests.faults.workers import LEASE_SECONDS

LEASES: Final = size(1.4, 10)


@on_one
def test_a_handler_may_hold_the_gil_for_many_leases(stage: Stage) -> None:
    worker = stage.ready_worker()
    stage.enqueue("hold-the-gil", max_attempts=1, seconds=LEASES * LEASE_SECONDS)
    until(lambda: stage.started() == 1, PATIENCE, "its start")
    executors = worker.executors()

    stage.drain(within=LEASES * LEASE_SECONDS + 60)

    assert [attempt.outcome for attempt in stage.begun()] == ["succeeded"]
    assert set(executors) <= set(worker.executors())
