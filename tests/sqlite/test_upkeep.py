"""On one file nobody takes turns, nobody can be woken, and a reader has no name."""

from __future__ import annotations

from pathlib import Path

from tests.client import BlockingSqliteStore


def test_every_process_does_the_upkeep_of_a_file(scratch: Path) -> None:
    with BlockingSqliteStore(scratch / "jobs.db") as store:
        found = [store.due_chores(["promote", "wake"], by=name) for name in ("first", "second")]

        assert [each.other_seconds for each in found] == [None, None]
        assert store.wake_idle() == 0
        assert store.held_snapshots() == []
