"""What a real worker's start does to definitions that people have changed."""

from __future__ import annotations

from tests.client import BlockingStore
from tests.worker.stage import Stage


def test_a_restart_overwrites_nothing_that_a_person_has_set(any_stage: Stage, any_store: BlockingStore) -> None:
    first = any_stage.started("--queue", "default")
    any_store.change_definition("add", {"max_attempts": 9, "timeout_seconds": None, "max_running": 2})
    any_store.change_definition("nothing", {"active": False})
    first.stop()
    first.left()

    second = any_stage.started("--queue", "default")

    told = second.until("definitions_overridden")["definitions"]
    assert told == {"add": ["max_attempts", "timeout_seconds"]}
    [add, nothing] = any_store.definitions(["add", "nothing"])
    assert (add.max_attempts, add.timeout_seconds, add.max_running) == (9, None, 2)
    assert (nothing.active, nothing.overridden) == (False, ["active"])
