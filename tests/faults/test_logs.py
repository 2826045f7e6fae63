"""What a killed worker's handlers wrote is there, but for the last second."""

from __future__ import annotations

from typing import Final

from tests.faults.handlers import LINE_SECONDS
from tests.faults.sizes import in_full, on_both
from tests.faults.stage import Stage
from tests.faults.waiting import pause, until

LOST_SECONDS: Final = 1.5


@in_full
@on_both
def test_a_kill_loses_the_last_second_of_a_log_at_most(stage: Stage) -> None:
    worker = stage.ready_worker()
    [job] = stage.enqueue("chatter", seconds=30, again=0.5)
    until(lambda: stage.started() == 1, 20, "its start")
    pause(5)
    worker.kill()
    [start] = stage.recorder.having("start")
    ran = next(event.at for event in stage.recorder.having("broken")) - start.at
    stage.worker()
    stage.drain(within=40)

    lines = [line.line for line in stage.history().lines if line.job == str(job) and line.attempt_no == 1]
    assert sorted(lines) == list(range(1, len(lines) + 1))
    # A sleep of two milliseconds takes a little more.
    assert len(lines) >= (ran - LOST_SECONDS) / (2 * LINE_SECONDS)
