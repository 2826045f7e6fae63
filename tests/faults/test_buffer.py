"""Long jobs after short ones: what was fetched ahead goes back, and other workers get it."""

from __future__ import annotations

from typing import Final

from tests.faults.sizes import on_one, size
from tests.faults.stage import Stage
from tests.faults.waiting import until

SHORT: Final = size(1500, 4000)
LONG: Final = size(100, 300)
SLOTS: Final = 4


@on_one
def test_the_buffer_goes_back_when_jobs_become_long(stage: Stage) -> None:
    stage.ready_worker(worker_concurrency=str(SLOTS))
    stage.enqueue("quick", SHORT)
    until(lambda: stage.leases() > 5 * SLOTS, 20, "a buffer")
    long = stage.enqueue("nap", LONG, max_attempts=1, seconds=0.5)
    until(lambda: stage.started(long), 60, "the first long one")

    until(lambda: stage.leases() <= 2 * SLOTS, 5, "the way back")
    stage.ready_worker()
    stage.drain(within=40 + LONG * 0.5)

    assert set(stage.statuses().values()) == {"succeeded"}
    bosses = {start.boss for start in stage.recorder.having("start") if start.job in set(map(str, long))}
    assert len(bosses) == 2, "the second worker got nothing of it"
