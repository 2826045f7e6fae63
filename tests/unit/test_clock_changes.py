"""R29: planned times against an oracle of our own, over all IANA zones and the years 2024 to 2034."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from importlib.resources import files
from itertools import takewhile
from random import Random
from zoneinfo import ZoneInfo

import pytest
from cronsim import CronSim

from jobplane.core.errors import InvalidTimetable
from jobplane.core.timetable import Timetable, zone
from tests.unit.cron_oracle import HOUR, MINUTE, Spec, Walk, changes, random_spec

DEEP = bool(os.environ.get("JOBPLANE_TEST_DEEP"))
PARTS = 4  # the processes of the suite share them
SAMPLES = (20_000 if DEEP else 2_400) // PARTS
FOR_EACH_WALK = 6  # expressions
YEARS = range(2024, 2035)


def distinct_zones() -> list[str]:
    """One name for each set of rules: every other is a link to one of these."""
    root = files("tzdata")
    by_rules: dict[bytes, str] = {}
    for name in root.joinpath("zones").read_text().split():
        by_rules.setdefault(root.joinpath("zoneinfo", *name.split("/")).read_bytes(), name)
    return sorted(by_rules.values())


ZONES = distinct_zones()


def a_window(dice: Random) -> tuple[ZoneInfo, str, datetime]:
    """A zone and an hour: as a rule, one in which its clocks change."""
    for _ in range(20):
        name, year = dice.choice(ZONES), dice.choice(YEARS)
        if found := changes(zone(name), year):
            return zone(name), name, dice.choice(found)
    return zone("UTC"), "UTC", datetime(2024, 1, 1, tzinfo=UTC)


def samples(dice: Random) -> Iterator[tuple[Walk, str, str, list[datetime]]]:
    for _ in range(SAMPLES // FOR_EACH_WALK):
        here, name, hour = a_window(dice)
        if dice.random() < 0.1:
            hour += timedelta(days=dice.randrange(400))
        walk = Walk.through(here, hour - 15 * HOUR, 45)
        for _ in range(FOR_EACH_WALK):
            spec = random_spec(dice, (hour + dice.randrange(-1, 3) * HOUR).astimezone(here))
            yield walk, name, spec.text, walk.fires(spec)


@pytest.mark.timeout(1200 if DEEP else 120)
@pytest.mark.parametrize("part", range(PARTS))
def test_planned_times_are_those_of_debians_rule(part: int) -> None:
    seed = Random().randrange(10**9) if DEEP else part
    dice = Random(seed)

    mismatches = [f"{fault} (seed {seed})" for sample in samples(dice) for fault in faults(dice, *sample)]

    assert mismatches == []


def faults(dice: Random, walk: Walk, name: str, expression: str, wanted: list[datetime]) -> Iterator[str]:
    """Where a timetable and the oracle do not agree about one window."""
    timetable = _accepted(name, expression)
    if timetable is None:
        assert not wanted, f"{expression} was refused"
        return
    start, end = walk.minutes[0][0], walk.minutes[-1][0]
    about = f"{expression} in {name} from {start}"
    if timetable.between(start, end, 10**6) != wanted:
        yield f"between: {about}"
    keep = dice.randrange(5)
    older = max(len(wanted) - keep, 0)
    if timetable.newest(start, end, keep) != (wanted[older:], older):
        yield f"newest {keep}: {about}"
    for _ in range(3):
        at = start + dice.randrange(1, 44 * 60) * MINUTE + timedelta(seconds=dice.choice((-1, 0, 1)))
        after = next((fire for fire in wanted if fire > at), None)
        found = timetable.next_after(at)
        if found != after and (after is not None or (found is not None and found <= end)):
            yield f"next_after {at}: {about}"


def _accepted(name: str, expression: str) -> Timetable | None:
    try:
        return Timetable(name, expression)
    except InvalidTimetable:
        return None


@pytest.mark.timeout(1200 if DEEP else 120)
@pytest.mark.parametrize("part", range(PARTS))
def test_a_daily_schedule_fires_once_for_each_local_date(part: int) -> None:
    for number, name in enumerate(ZONES[part :: PARTS if DEEP else 3 * PARTS]):
        years = YEARS if DEEP else [YEARS[number % len(YEARS)]]
        for year in years:
            days = [date(year, 1, 1) + timedelta(days=number) for number in range(365)]
            written = [datetime.combine(day, time(number % 4, 30)) for day in days]
            start = written[0].replace(tzinfo=zone(name)).astimezone(UTC)

            found = Timetable(name, f"30 {number % 4} * * *").between(start - HOUR, start + timedelta(days=364.5), 400)

            shown = [at.astimezone(zone(name)).replace(tzinfo=None) for at in found]
            late = [local - wanted for local, wanted in zip(shown, written, strict=True)]
            assert all(timedelta(0) <= one <= HOUR / 2 for one in late), name
            assert sum(one > timedelta(0) for one in late) <= len(changes(zone(name), year)), name


@pytest.mark.parametrize("part", range(PARTS))
def test_an_hourly_wildcard_fires_once_for_each_utc_hour_where_offsets_are_whole_hours(part: int) -> None:
    hours = 0
    for number, name in enumerate(ZONES[part::PARTS]):
        for change in changes(zone(name), YEARS[number % len(YEARS)]):
            window = [change + number * HOUR for number in range(-30, 30)]
            if all(at.astimezone(zone(name)).minute == 0 for at in window):
                assert Timetable(name, "0 * * * *").between(window[0] - MINUTE, window[-1], 100) == window
                hours += len(window)
    assert hours > 2000


def test_the_oracle_notices_a_wrong_rule() -> None:
    """It does not agree with the library's own rule, where that is known to be wrong."""
    here = zone("Australia/Lord_Howe")
    start = datetime(2026, 10, 3, 0, tzinfo=UTC)
    walk = Walk.through(here, start, 30)
    every = frozenset(range(60))
    spec = Spec("*/10 3 * * *", every & set(range(0, 60, 10)), frozenset({3}), every, every, every)

    library = list(
        takewhile(
            lambda at: at <= walk.minutes[-1][0],
            (at.astimezone(UTC) for at in CronSim(spec.text, start.astimezone(here))),
        )
    )

    assert walk.fires(spec) != library
    assert walk.fires(spec) == Timetable("Australia/Lord_Howe", spec.text).between(start, walk.minutes[-1][0], 100)
