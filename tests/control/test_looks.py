"""Upkeep asks what there is to do, and calls nothing else while there is nothing."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest

from jobplane.control.upkeep import CALM_SECONDS, Upkeep
from jobplane.core.errors import Invalid, StoreBusy
from jobplane.core.model import DueChores
from jobplane.store.verbs.engine import FindDueChores, FindSnapshots, Reap, Tick
from jobplane.store.verbs.verb import EngineVerb

IDLE = DueChores(None, None, frozenset(), {})


@dataclass
class Desk:
    """A store that says what there is to do, and what was asked of it when."""

    found: DueChores = IDLE
    failure: Exception | None = None
    now: float = 1000.0
    asked: list[tuple[float, str]] = field(default_factory=list[tuple[float, str]])
    looked_for: list[str] = field(default_factory=list[str])

    async def run(self, verb: EngineVerb[Any]) -> Any:
        if isinstance(verb, FindSnapshots):
            return []
        if isinstance(verb, FindDueChores):
            return self._look(verb)
        name = "full tick" if verb == Tick(full=True) else type(verb).__name__.lower()
        self.asked.append((self.now, name))
        return [] if isinstance(verb, Reap) else 0

    def _look(self, verb: FindDueChores) -> DueChores:
        self.asked.append((self.now, "look"))
        self.looked_for = list(verb.chores)
        if self.failure is not None:
            raise self.failure
        return self.found

    async def vacuum(self) -> None:
        self.asked.append((self.now, "vacuum"))

    def upkeep(self, **told: Any) -> Upkeep:
        return Upkeep(self, clock=lambda: self.now, **told)

    async def pass_(self, upkeep: Upkeep, seconds: float, step: float = 0.01) -> Counter[str]:
        """What is asked for while so much time passes."""
        self.asked.clear()
        for _ in range(round(seconds / step)):
            await upkeep.run_once()
            self.now += step
        return Counter(name for _, name in self.asked)


async def test_who_has_nothing_to_do_only_looks() -> None:
    desk = Desk()
    asked = await desk.pass_(desk.upkeep(by="w", calm_seconds=CALM_SECONDS), 60)

    assert asked.keys() == {"look", "full tick", "tidy"}
    assert 60 / CALM_SECONDS <= asked["look"] <= 60 / CALM_SECONDS / 0.85
    assert asked["full tick"] <= 38


async def test_who_has_something_to_do_looks_four_times_a_second() -> None:
    desk = Desk(DueChores(None, None, frozenset({"tick"}), {}))
    asked = await desk.pass_(desk.upkeep(by="w", calm_seconds=CALM_SECONDS), 10)

    assert 40 <= asked["tick"] == asked["look"] <= 50
    assert "promote" not in asked


async def test_it_looks_in_the_moment_in_which_the_next_job_comes_due() -> None:
    desk = Desk(DueChores(None, 0.4, frozenset(), {}))
    upkeep = desk.upkeep(by="w", calm_seconds=CALM_SECONDS)
    await upkeep.run_once()
    desk.found = IDLE

    await desk.pass_(upkeep, 0.5)

    assert [at for at, name in desk.asked if name == "look"] == [pytest.approx(1000.4, abs=0.02)]


async def test_all_that_asks_is_looked_for_each_as_often_as_it_was_called_before() -> None:
    desk = Desk()
    upkeep, looks = desk.upkeep(by="w", lease_seconds=30), Counter[str]()
    for _ in range(6000):
        desk.looked_for = []
        await upkeep.run_once()
        looks.update(desk.looked_for)
        desk.now += 0.01

    assert looks["promote"] == looks["tick"] > 200
    for chore, every in {"expire": 1.0, "sweep": 1.0, "wake": 1.0, "reap": 5.0}.items():
        assert 60 / every / 1.4 < looks[chore] < 60 / every / 0.75, chore


async def test_while_another_does_the_upkeep_it_looks_every_five_seconds_and_does_nothing_else() -> None:
    desk = Desk(DueChores(4.5, None, frozenset(), {}))
    asked = await desk.pass_(desk.upkeep(by="w", vacuum=desk.vacuum), 60)

    assert asked.keys() == {"look", "vacuum"}
    assert 12 <= asked["look"] <= 14
    assert "reap" in desk.looked_for  # which locks the leases as a renewal does: it has to know when nobody can renew


async def test_where_leases_are_short_it_looks_at_them_as_often_as_they_need() -> None:
    desk = Desk(DueChores(4.5, None, frozenset(), {}))
    asked = await desk.pass_(desk.upkeep(by="w", lease_seconds=5), 60)

    assert 60 / 1.5 <= asked["look"] <= 60


async def test_a_look_that_fails_leaves_each_chore_to_see_for_itself(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    desk = Desk(failure=Invalid("no such function"))
    asked = await desk.pass_(desk.upkeep(by="w"), 10)

    assert asked.keys() == {
        "look",
        "promote",
        "tick",
        "full tick",
        "expire",
        "sweep",
        "wakeidle",
        "renew",
        "reap",
        "tidy",
    }
    assert asked["promote"] >= 40
    assert [record.getMessage() for record in caplog.records] == [
        "Upkeep could not do its chore look: no such function"
    ]


async def test_a_look_that_a_lock_kept_away_reaps_nothing_for_one_lease() -> None:
    desk = Desk(failure=StoreBusy("locked"))
    upkeep = desk.upkeep(lease_seconds=30)
    await upkeep.run_once()
    desk.failure, desk.found = None, DueChores(None, None, frozenset({"reap"}), {})

    assert (await desk.pass_(upkeep, 29.5, 0.5))["reap"] == 0
    assert (await desk.pass_(upkeep, 10, 0.5))["reap"] > 0


async def test_a_look_that_takes_long_comes_seldom() -> None:
    desk = Desk(DueChores(None, None, frozenset({"promote"}), {"sweep": 0.5, "promote": 0.5}))
    upkeep, looks = desk.upkeep(), Counter[str]()
    for _ in range(600):
        desk.looked_for = []
        await upkeep.run_once()
        looks.update(desk.looked_for)
        desk.now += 0.1

    assert looks["sweep"] <= 60 / 5 + 1
    assert looks["promote"] > 150
