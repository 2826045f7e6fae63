"""The turn at the upkeep is a hint: whoever keeps it from others keeps no job waiting."""

from __future__ import annotations

from functools import partial

from tests.clock import Clock
from tests.races.hands import Worker
from tests.races.stage import Stage
from tests.races.waiting import at_once

LOOK = "select other_seconds, due from jobplane.due_chores('{promote}', %s)"


def test_a_turn_that_an_open_transaction_holds_is_waited_for_by_nobody(stage: Stage, clock: Clock) -> None:
    holder = stage.worker(in_transaction=True)
    stage.app().enqueue(delay_seconds=1)
    holder.run(LOOK, "holder")
    clock.advance(10)

    found = [stage.worker(never_waits=True).run(LOOK, name) for name in ("one", "two")]

    assert found == [[(None, [True])]] * 2
    holder.rollback()


def test_who_has_the_turn_goes_on_while_somebody_has_locked_its_row(stage: Stage, clock: Clock) -> None:
    stage.worker().run(LOOK, "first")
    other = stage.worker(in_transaction=True)
    clock.advance(6)
    other.run(LOOK, "other")
    clock.advance(6)

    assert stage.worker(never_waits=True).run(LOOK, "first") == [(None, [False])]
    other.rollback()


def test_of_twenty_who_come_at_once_one_has_the_turn_afterwards(stage: Stage) -> None:
    def look(worker: Worker, name: str) -> object:
        return worker.run(LOOK, name)[0][0]

    names = [f"w{number}" for number in range(20)]
    at_once([partial(look, stage.worker(), name) for name in names])

    again = [look(stage.worker(), name) for name in names]

    assert len([seconds for seconds in again if seconds is None]) == 1
