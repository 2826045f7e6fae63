"""Rounds of the scheduler over a store: pace, faults of one schedule, and the seconds until the next look."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from jobplane.control.firing import BUSY_SECONDS, CATCH_UP, Firing
from jobplane.core.errors import Invalid, JobplaneError, StoreBusy, StoreUnavailable
from jobplane.core.triggers import Action, Decision, DueTrigger, DueTriggers, Fired
from jobplane.store.verbs.triggers import FindDueTriggers, FireTriggers, RefreshZones
from tests.control.test_firing import NOON, due

Refuses = Callable[[Sequence[Decision]], JobplaneError | None]


def _takes(_: Sequence[Decision]) -> None:
    return None


def _always(error: JobplaneError) -> Refuses:
    def refuses(_: Sequence[Decision]) -> JobplaneError:
        return error

    return refuses


def _broken(_: object) -> object:
    return 1 / 0


class Scripted:
    """A store that answers what it is told, and remembers what it was asked."""

    def __init__(self, triggers: Sequence[DueTrigger], next_seconds: float | None = None) -> None:
        self.triggers = triggers
        self.next_seconds = next_seconds
        self.limits: list[int] = []
        self.fired: list[list[Decision]] = []
        self.refuses: Refuses = _takes

    async def run(self, verb: Any) -> Any:
        match verb:
            case RefreshZones():
                return 0
            case FindDueTriggers():
                self.limits.append(verb.late_limit)
                return DueTriggers(NOON, self.next_seconds, list(self.triggers))
            case FireTriggers():
                if error := self.refuses(verb.decisions):
                    raise error
                self.fired.append(list(verb.decisions))
                return [Fired(decision.trigger.id, "fired", None, None) for decision in verb.decisions]
            case _:
                raise AssertionError(verb)


def numbered(number: int, **values: Any) -> DueTrigger:
    found = due(**values)
    return replace(found, trigger=replace(found.trigger, id=UUID(int=number)))


async def test_it_sleeps_until_the_next_schedule_or_the_tick() -> None:
    for next_seconds, pause in ((None, 15.0), (100.0, 15.0), (2.5, 2.5), (-1.0, 0.0)):
        assert (await Firing(Scripted([], next_seconds), by="s").run_once()).pause == pause


async def test_it_looks_again_at_once_when_it_has_fired() -> None:
    assert (await Firing(Scripted([numbered(1)], 100.0), by="s").run_once()).pause == 0.0


async def test_what_is_late_is_paced() -> None:
    """A full allowance at first; then what time has brought since."""
    late = [
        numbered(n, next_run_at=NOON - timedelta(hours=1), due_at=NOON - timedelta(hours=1)) for n in range(CATCH_UP)
    ]
    store = Scripted(late)
    firing = Firing(store, by="s")

    first, second = await firing.run_once(), await firing.run_once()

    assert (first.pause, second.pause) == (BUSY_SECONDS, BUSY_SECONDS)
    assert store.limits[0] == CATCH_UP
    assert store.limits[1] < CATCH_UP / 2


async def test_tenants_whose_enqueues_may_wait_have_a_call_of_their_own() -> None:
    free = [numbered(1), numbered(2)]
    limited = [replace(numbered(3), is_limited=True)]
    store = Scripted([*free, *limited])

    await Firing(store, by="s").run_once()

    assert [[decision.trigger.id.int for decision in call] for call in store.fired] == [[1, 2], [3]]


async def test_a_lock_that_is_held_is_tried_again_soon() -> None:
    store = Scripted([numbered(1)])
    store.refuses = _always(StoreBusy("locked"))

    done = await Firing(store, by="s").run_once()

    assert ([fired.outcome for fired in done.fired], done.pause) == (["busy"], BUSY_SECONDS)


async def test_an_outage_is_the_callers_matter() -> None:
    store = Scripted([numbered(1)])
    store.refuses = _always(StoreUnavailable("gone"))

    with pytest.raises(StoreUnavailable):
        await Firing(store, by="s").run_once()


async def test_a_schedule_that_the_database_refuses_is_switched_off_and_sinks_no_other() -> None:
    store = Scripted([numbered(n) for n in range(1, 5)])

    def refuses(decisions: Sequence[Decision]) -> Invalid | None:
        fires = {decision.trigger.id.int for decision in decisions if decision.action is Action.FIRE}
        return Invalid("a bad row") if 3 in fires else None

    store.refuses = refuses

    await Firing(store, by="s").run_once()

    done = {call[0].trigger.id.int: call[0] for call in store.fired}
    assert [done[n].action for n in (1, 2, 4)] == [Action.FIRE] * 3
    assert (done[3].action, done[3].over) == (Action.DISABLE, "invalid: a bad row")


async def test_a_fault_with_one_schedule_ends_no_loop(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    broken = numbered(1, cron_expr="0 2 * * *", interval_seconds=None)
    monkeypatch.setattr("jobplane.control.firing.timetable_of", _broken)
    store = Scripted([broken])

    await Firing(store, by="s").run_once()

    assert (store.fired[0][0].action, store.fired[0][0].over) == (
        Action.DISABLE,
        "fault: ZeroDivisionError: division by zero",
    )
