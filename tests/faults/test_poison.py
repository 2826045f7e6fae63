"""Handlers that kill their process pay with their own attempts, and no neighbour with one of its own.

A neighbour that may start only once does not start again: it succeeds, or is buried where it was cut off.
"""

from __future__ import annotations

from typing import Final

from tests.faults.sizes import on_one, size
from tests.faults.stage import Stage
from tests.faults.waiting import PATIENCE, until

GOOD: Final = 500
ONCE: Final = 20
PILLS: Final = ("segfault", "out-of-memory", "leave", "garble", "starve")
EACH: Final = size(1, 5)
ATTEMPTS: Final = 2


@on_one
def test_poison_pills_are_buried_and_their_neighbours_live(stage: Stage) -> None:
    stage.ready_worker(worker_concurrency=size("4", "16"))
    good = stage.enqueue("nap", GOOD // 2, max_attempts=2, seconds=0.05)
    once = stage.enqueue("nap", ONCE, max_attempts=1, seconds=0.05)
    pills = [job for pill in PILLS for job in stage.enqueue(pill, EACH, max_attempts=ATTEMPTS)]
    once += stage.enqueue("nap", ONCE, max_attempts=1, seconds=0.05)
    good += stage.enqueue("quick", GOOD // 2, max_attempts=2)
    until(lambda: stage.started(pills) == len(pills), PATIENCE, "the start of every pill")

    stage.drain(within=60 * EACH)

    statuses = stage.statuses()
    assert {statuses[str(job)] for job in good} == {"succeeded"}
    assert {statuses[str(job)] for job in pills} == {"dead_letter"}
    tries = stage.history().tries()
    assert {attempt.outcome for job in good for attempt in tries[str(job)]} <= {"succeeded", "released"}
    assert {statuses[str(job)] for job in once} <= {"succeeded", "dead_letter"}
    assert max(stage.recorder.count("start", job=str(job)) for job in once) == 1
    for job in map(str, pills):
        paid = [attempt for attempt in tries[job] if attempt.outcome != "released"]
        assert [(attempt.outcome, attempt.reason) for attempt in paid] == [("lost", "worker_crash")] * ATTEMPTS
