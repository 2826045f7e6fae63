"""Zones come from the tzdata wheel alone, and an unknown name is answered with those that are close."""

from __future__ import annotations

import copy
import pickle
import zoneinfo
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path

import pytest

from jobplane.core.errors import InvalidTimetable
from jobplane.core.timetable import TZDATA_VERSION, zone, zone_names, zones


def test_the_version_is_that_of_the_wheel() -> None:
    assert version("tzdata") == TZDATA_VERSION


def test_every_name_for_people_is_a_zone() -> None:
    names = zone_names()

    assert names[0] == "UTC"
    assert {"Europe/Berlin", "America/New_York", "Asia/Kolkata"} <= set(names)
    assert len(names) == len(set(names)) > 400
    assert all(zone(name).key == name for name in names)


def test_an_old_name_is_a_zone_and_not_offered() -> None:
    assert zone("US/Eastern").key == "US/Eastern"
    assert "US/Eastern" not in zone_names()


def test_the_zones_of_the_operating_system_are_not_used(tmp_path: Path) -> None:
    fake = tmp_path / "Europe" / "Vaduz"
    fake.parent.mkdir()
    fake.write_bytes(b"not a zone")
    zoneinfo.reset_tzpath([str(tmp_path)])
    try:
        zones.load.cache_clear()
        assert datetime(2026, 7, 1, tzinfo=zone("Europe/Vaduz")).utcoffset() == timedelta(hours=2)
    finally:
        zoneinfo.reset_tzpath()


def test_a_time_in_a_zone_can_be_copied_and_pickled() -> None:
    at = datetime(2026, 7, 1, tzinfo=zone("Europe/Vaduz"))

    assert copy.deepcopy(at).tzinfo is at.tzinfo
    assert pickle.loads(pickle.dumps(at)).tzinfo is at.tzinfo


@pytest.mark.parametrize(
    ("name", "close"),
    [
        ("europe/berlin", ["Europe/Berlin"]),
        ("New York", ["America/New_York"]),
        ("Kyiv", ["Europe/Kyiv"]),
        ("Europe/Berln", ["Europe/Berlin", "Europe/Dublin", "Europe/Belfast"]),
        ("+02:00", []),
        ("", []),
        ("../../etc/passwd", []),
        ("/etc/localtime", []),
        ("x" * 100_000, []),
    ],
)
def test_an_unknown_name_is_refused_with_those_that_are_close(name: str, close: list[str]) -> None:
    with pytest.raises(InvalidTimetable, match="Unknown time zone") as refused:
        zone(name)

    assert refused.value.facts == {"field": "timezone", "close": close}
    assert len(refused.value.message) < 200


def test_changes_are_found_to_the_second() -> None:
    found = list(
        zones.changes(zone("America/New_York"), datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC))
    )

    assert [change.at.isoformat() for change in found] == ["2026-03-08T07:00:00+00:00", "2026-11-01T06:00:00+00:00"]
    assert [change.skips for change in found] == [True, False]
    assert [(f"{change.low:%H:%M}", f"{change.high:%H:%M}") for change in found] == [
        ("02:00", "03:00"),
        ("01:00", "02:00"),
    ]


def test_no_zone_changes_its_clocks_twice_within_a_day() -> None:
    """Changes are looked for a day apart; hour by hour there are no more of them."""
    start = datetime(2024, 1, 1, tzinfo=UTC)
    hours = [start + timedelta(hours=number) for number in range(366 * 24)]
    for name in ("Africa/Casablanca", "Asia/Gaza", "Africa/Cairo", "America/Santiago"):
        here = zone(name)
        offsets = [at.astimezone(here).utcoffset() for at in hours]
        changed = sum(a != b for a, b in pairwise(offsets))
        assert changed == len(list(zones.changes(here, hours[0], hours[-1])))
