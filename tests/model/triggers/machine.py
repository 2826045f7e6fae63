"""The state machine of schedules: people, schedulers, one of them late, workers and the clock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from datetime import timedelta
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from jobplane.control.planning import timetable_of
from jobplane.core.model import Document, Outcome
from jobplane.core.triggers import Decision
from tests.model.triggers.draws import changes, ends, picks, rules, steps, tables, zones
from tests.model.triggers.side import Side
from tests.model.triggers.stage import Stage

_MOST = 5


class Timetables(RuleBasedStateMachine):
    """The whole life of schedules on every store at once."""

    openings: ClassVar[Sequence[Callable[[], AbstractContextManager[Side]]]] = ()

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.stage = Stage([])
        self.late: list[Decision] = []

    @initialize(first=rules(), second=rules(), until=ends)
    def open(self, first: dict[str, Any], second: dict[str, Any], until: float | None) -> None:
        """Two schedules are there at the start, so that a short history has something to fire."""
        self.stage = Stage([self.stack.enter_context(opening()) for opening in self.openings])
        self.stage.furnish()
        self.create({"interval_seconds": 300}, until, {**first, "is_enabled": True}, "2020.1")
        self.create({"cron_expr": "*/10 * * * *"}, None, {**second, "is_enabled": True}, "2020.1")

    def teardown(self) -> None:
        self.stack.close()

    @invariant()
    def the_stores_do_what_the_specification_says(self) -> None:
        self.stage.check()

    # People

    @rule(table=tables, until=ends, given=rules(), zone_version=zones)
    def create(self, table: Document, until: float | None, given: dict[str, Any], zone_version: str) -> None:
        if len(self.stage.spec.of) < _MOST:
            self.stage.create(table, until, given, zone_version)

    @rule(pick=picks, given=changes())
    def change(self, pick: int, given: dict[str, Any]) -> None:
        if known := self.stage.some(pick):
            self.stage.change(known.trigger, given)

    @rule(pick=picks, how=st.sampled_from(["on", "off", "on", "gone"]))
    def switch(self, pick: int, how: str) -> None:
        if not (known := self.stage.some(pick)):
            return
        match how:
            case "on":
                self.stage.change(known.trigger, {"is_enabled": True})
            case "off":
                self.stage.change(known.trigger, {"is_enabled": False, "disabled_reason": "holidays"})
            case _:
                if len(self.stage.spec.of) > 2:
                    self.stage.delete(known.trigger)

    @rule(pick=picks)
    def fire_by_hand(self, pick: int) -> None:
        """A moment after a planned time, as it is in life: nobody hits the microsecond."""
        self.stage.advance(0.25)
        if known := self.stage.some(pick):
            self.stage.fire_by_hand(known.trigger, "manual", [self.stage.spec.now])

    @rule(pick=picks, minutes=st.sampled_from([10, 60, 1440]))
    def backfill(self, pick: int, minutes: int) -> None:
        if known := self.stage.some(pick):
            now = self.stage.spec.now
            planned = timetable_of(known.trigger).newest(now - timedelta(minutes=minutes), now, 3)[0]
            self.stage.fire_by_hand(known.trigger, "backfill", planned)

    @rule(how=st.sampled_from(["right", "right", "right", "off", "strict"]))
    def define(self, how: str) -> None:
        self.stage.define(active=how != "off", strict=how == "strict")

    # Schedulers

    @rule(seconds=steps, rounds=st.integers(0, 3))
    def tick(self, seconds: float, rounds: int) -> None:
        """No round: there is no scheduler then."""
        self.stage.advance(seconds)
        for _ in range(rounds):
            self.stage.fire(self.stage.look())

    @rule(times=st.integers(1, 3))
    def tick_along(self, times: int) -> None:
        """As schedulers do: in time for each planned time, and again a moment later for what waits."""
        for _ in range(times):
            for seconds in (297, 3):
                self.stage.advance(seconds)
                self.stage.fire(self.stage.look())

    @rule(seconds=steps)
    def look(self, seconds: float) -> None:
        """Another scheduler decides, and is stopped before it can say so."""
        self.stage.advance(seconds)
        self.late = self.stage.look()

    @rule(again=st.booleans())
    def come_late(self, again: bool) -> None:
        """It goes on, with older rules of time zones; its connection may break, and then it says so twice."""
        for _ in range(1 + again):
            self.stage.fire(self.late, "2020.1")

    @rule()
    def refresh_zones(self) -> None:
        self.stage.refresh_zones()

    # Workers

    @rule(pick=st.integers(0, 9), outcomes=st.lists(st.sampled_from([Outcome.SUCCEEDED, Outcome.FATAL]), max_size=3))
    def work(self, pick: int, outcomes: list[Outcome]) -> None:
        """All that may run runs, and some of it ends."""
        self.stage.claim()
        for outcome in outcomes:
            if running := self.stage.running():
                self.stage.settle(running[pick % len(running)], outcome)
