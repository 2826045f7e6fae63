"""A handler forks its process, threads and all: its lease is kept, and nobody gets hold of the supervisor's lines."""

from __future__ import annotations

from pathlib import Path

from tests.faults.sizes import on_one
from tests.faults.stage import Stage
from tests.faults.waiting import PATIENCE, until
from tests.faults.workers import LEASE_SECONDS


@on_one
def test_a_fork_keeps_its_lease_and_holds_no_line_of_the_supervisor(stage: Stage) -> None:
    worker = stage.ready_worker()
    stage.enqueue("fork", max_attempts=1, seconds=1.4 * LEASE_SECONDS)
    until(lambda: stage.recorder.having("child"), PATIENCE, "a fork")

    others = [*worker.executors(), *(child.pid for child in stage.recorder.having("child"))]
    lines = _lines(worker.pid)
    held = {pid: lines & _lines(pid or 0) for pid in others}
    stage.drain(within=60)

    assert lines
    assert len(others) >= 2
    assert held == {pid: set() for pid in others}
    assert [attempt.outcome for attempt in stage.begun()] == ["succeeded"]


def _lines(pid: int) -> set[str]:
    """To the database: its sockets, or the files. What it prints goes where the others' does."""
    links = {str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()}
    return {link for link in links if link.startswith("socket:") or ".db" in link}
