"""A result that no database takes ends its own job and holds up nobody."""

from __future__ import annotations

from typing import Final

from tests.faults.handlers import UNSTORABLE
from tests.faults.sizes import on_both
from tests.faults.stage import Stage

GOOD: Final = 500


@on_both
def test_unstorable_results_end_alone(stage: Stage) -> None:
    stage.ready_worker()
    good = stage.enqueue("quick", GOOD // 2, max_attempts=1)
    bad = [job for which in range(len(UNSTORABLE)) for job in stage.enqueue("unstorable", max_attempts=1, which=which)]
    good += stage.enqueue("quick", GOOD // 2, max_attempts=1)

    stage.drain(within=30)

    statuses = stage.statuses()
    assert {statuses[str(job)] for job in good} == {"succeeded"}
    assert {statuses[str(job)] for job in bad} == {"failed"}
    assert sum(attempt.outcome != "released" for attempt in stage.attempts()) == len(good) + len(bad)
