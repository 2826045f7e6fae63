"""Long jobs after short ones: what was fetched ahead goes back, and other workers get it."""

from __future__ import annotations

from typing import Final

from tests.faults.sizes import on_one, size
from tests.faults.stage import Stage
from tests.faults.waiting import PATIENCE, until

SHORT: Final = 500
LONG: Final = size(100, 300)
SLOTS: Final = 4


@on_one
def test_the_buffer_goes_back_when_jobs_become_long(stage: Stage) -> None:
    """The long ones go on until the end, so that nothing but a release makes leases fewer."""
    stage.ready_worker(worker_concurrency=str(SLOTS))
    until(lambda: _has_buffer(stage), PATIENCE, "a buffer")
    gate = stage.directory / "gate"
    long = stage.enqueue("wait", LONG, max_attempts=1, gate=str(gate))
    until(lambda: stage.started(long), PATIENCE, "the first long one")

    until(lambda: stage.leases() <= 2 * SLOTS, PATIENCE, "the way back")
    other = stage.ready_worker()
    until(lambda: stage.recorder.count("start", boss=other.pid), PATIENCE, "a start on another worker")
    gate.touch()
    stage.drain(within=60)

    assert set(stage.statuses().values()) == {"succeeded"}


def _has_buffer(stage: Stage) -> bool:
    """Whether much more is fetched than runs; until then there are always short ones to fetch."""
    if stage.active() < SHORT // 2:
        stage.enqueue("quick", SHORT)
    return stage.leases() > 5 * SLOTS
