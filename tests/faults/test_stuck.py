"""Handlers that run past their timeouts and cannot be interrupted pay for it, and none of their neighbours does."""

from __future__ import annotations

from typing import Final

from tests.faults.sizes import on_one, size
from tests.faults.stage import Stage
from tests.faults.waiting import PATIENCE, until

GOOD: Final = size(200, 1000)
STUCK: Final = size(3, 12)
ATTEMPTS: Final = 2


@on_one
def test_stuck_handlers_are_buried_and_their_neighbours_succeed(stage: Stage) -> None:
    stage.ready_worker(worker_concurrency="8", grace_seconds="3")
    good = stage.enqueue("nap", GOOD // 4, max_attempts=3, seconds=0.5)
    stuck = stage.enqueue("doze", STUCK, max_attempts=ATTEMPTS, timeout_seconds=1, seconds=600)
    good += stage.enqueue("toil", GOOD // 4, max_attempts=3, seconds=0.3)
    good += stage.enqueue("quick", GOOD // 2, max_attempts=3)
    until(lambda: stage.started(stuck) == len(stuck), PATIENCE, "the start of every stuck one")

    stage.drain(within=60 + 10 * STUCK)

    statuses = stage.statuses()
    assert {statuses[str(job)] for job in good} == {"succeeded"}
    assert {statuses[str(job)] for job in stuck} == {"dead_letter"}
    tries = stage.history().tries()
    for job in map(str, stuck):
        paid = [attempt for attempt in tries[job] if attempt.outcome != "released"]
        assert [(attempt.outcome, attempt.reason) for attempt in paid] == [("timeout", "stuck")] * ATTEMPTS
    for job in map(str, good):
        assert [attempt.outcome for attempt in tries[job] if attempt.outcome != "released"] == ["succeeded"]
        released = {attempt.reason for attempt in tries[job] if attempt.outcome == "released"}
        assert released <= {"neighbour", "unstarted"}
