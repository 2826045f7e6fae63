"""Timetables: what is planned, by a table of cases that people have checked, and what is refused."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from uuid import UUID

import pytest

from jobplane.core.errors import InvalidTimetable
from jobplane.core.timetable import Timetable, in_words, preview, simulate, spread

NEW_YORK = "America/New_York"


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def locals_of(timetable: Timetable, after: str, count: int) -> list[str]:
    """The next local times as `08 03:00-0400`."""
    return [f"{planned.local:%d %H:%M%z}" for planned in preview(timetable, utc(after), count)]


# 2026: the clocks go forward in New York on 8 March at 02:00, back on 1 November at 02:00.
@pytest.mark.parametrize(
    ("zone", "expression", "after", "local"),
    [
        (NEW_YORK, "30 2 * * *", "2026-03-07T12:00", ["08 03:00-0400", "09 02:30-0400"]),
        (NEW_YORK, "0,30 2 * * *", "2026-03-07T12:00", ["08 03:00-0400", "09 02:00-0400", "09 02:30-0400"]),
        (NEW_YORK, "0 2,3 * * *", "2026-03-07T12:00", ["08 03:00-0400", "09 02:00-0400"]),
        (NEW_YORK, "30 1 * * *", "2026-10-31T12:00", ["01 01:30-0400", "02 01:30-0500"]),
        (NEW_YORK, "30 1 * * *", "2026-11-01T06:00", ["02 01:30-0500"]),  # asked in the second pass
        (NEW_YORK, "30 * * * *", "2026-03-08T06:00", ["08 01:30-0500", "08 03:30-0400"]),
        (NEW_YORK, "30 * * * *", "2026-11-01T05:00", ["01 01:30-0400", "01 01:30-0500", "01 02:30-0500"]),
        (NEW_YORK, "*/30 2 * * *", "2026-03-08T00:00", ["09 02:00-0400"]),
        (NEW_YORK, "*/30 1 * * *", "2026-11-01T05:10", ["01 01:30-0400", "01 01:00-0500", "01 01:30-0500"]),
        (NEW_YORK, "0 0-23 * * *", "2026-11-01T05:00", ["01 02:00-0500"]),  # written out: once, though each hour is
        ("Europe/London", "30 1 * * *", "2026-03-28T12:00", ["29 02:00+0100", "30 01:30+0100"]),
        ("Europe/London", "30 1 * * *", "2026-10-24T12:00", ["25 01:30+0100", "26 01:30+0000"]),
        ("Australia/Lord_Howe", "15 2 * * *", "2026-10-03T00:00", ["04 02:30+1100", "05 02:15+1100"]),
        ("Australia/Lord_Howe", "*/10 3 * * *", "2026-10-03T00:00", ["04 03:00+1100", "04 03:10+1100"]),
        ("Australia/Lord_Howe", "45 1 * * *", "2026-04-04T00:00", ["05 01:45+1100", "06 01:45+1030"]),
        (
            "Australia/Lord_Howe",
            "*/15 1 * * *",
            "2026-04-04T14:15",
            ["05 01:30+1100", "05 01:45+1100", "05 01:30+1030"],
        ),
        ("America/Havana", "30 0 * * *", "2026-03-07T12:00", ["08 01:00-0400", "09 00:30-0400"]),
        ("America/Havana", "*/30 0 * * SUN", "2026-03-07T12:00", ["15 00:00-0400", "15 00:30-0400"]),
        ("America/Nuuk", "30 23 * * *", "2026-03-28T12:00", ["29 00:00-0100", "29 23:30-0100"]),
        ("Africa/Casablanca", "30 2 * * *", "2024-03-09T12:00", ["10 02:30+0100", "11 02:30+0000"]),
        ("Africa/Casablanca", "30 2 * * *", "2024-04-13T12:00", ["14 03:00+0100", "15 02:30+0100"]),
        ("Pacific/Apia", "0 12 * * *", "2011-12-29T12:00", ["29 12:00-1000", "31 00:00+1400", "31 12:00+1400"]),
        ("Asia/Kathmandu", "0 * * * *", "2026-01-01T00:00", ["01 06:00+0545", "01 07:00+0545"]),
        ("UTC", "0 0 29 2 *", "2096-03-01T00:00", ["29 00:00+0000"]),  # 2104: 2100 is no leap year
        ("UTC", "0 0 13 * FRI", "2026-02-01T00:00", ["06 00:00+0000", "13 00:00+0000", "20 00:00+0000"]),
        ("UTC", "0 0 */2 * MON", "2026-02-01T00:00", ["09 00:00+0000", "23 00:00+0000"]),
        ("UTC", "@weekly", "2026-02-02T00:00", ["08 00:00+0000"]),
        ("UTC", "5/20 0 1 JAN *", "2026-12-31T00:00", ["01 00:05+0000", "01 00:25+0000", "01 00:45+0000"]),
    ],
)
def test_planned_times_are_those_of_the_table(zone: str, expression: str, after: str, local: list[str]) -> None:
    assert locals_of(Timetable(zone, expression), after, len(local)) == local


def test_an_interval_without_a_start_counts_from_1970() -> None:
    quarters = Timetable(NEW_YORK, interval_seconds=900)

    found = quarters.between(utc("2026-03-08T06:45"), utc("2026-03-08T07:15"), 10)

    assert found == [utc("2026-03-08T07:00"), utc("2026-03-08T07:15")]


def test_an_interval_with_a_start_counts_from_there_and_fires_at_it() -> None:
    timetable = Timetable("UTC", interval_seconds=1000, starts_at=utc("2026-01-01T00:00:07"))

    assert timetable.next_after(utc("2020-01-01")) == utc("2026-01-01T00:00:07")
    assert timetable.next_after(utc("2026-01-01T00:00:07")) == utc("2026-01-01T00:16:47")


def test_the_clocks_do_not_move_an_interval() -> None:
    days = Timetable(NEW_YORK, interval_seconds=86_400, starts_at=utc("2026-03-07T17:00"))

    assert locals_of(days, "2026-03-07T12:00", 3) == ["07 12:00-0500", "08 13:00-0400", "09 13:00-0400"]


def test_once_fires_once() -> None:
    once = Timetable(NEW_YORK, once=True, starts_at=datetime(2026, 3, 8, 9, tzinfo=timezone(timedelta(hours=2))))

    assert once.next_after(utc("2026-03-08T06:59:59")) == utc("2026-03-08T07:00")
    assert once.next_after(utc("2026-03-08T07:00")) is None
    assert once.newest(utc("2020-01-01"), utc("2030-01-01"), 5) == ([utc("2026-03-08T07:00")], 0)


@pytest.mark.parametrize("kind", [{"cron_expr": "0 * * * *"}, {"interval_seconds": 3600}])
def test_both_ends_of_a_window_are_inside(kind: dict[str, str | int]) -> None:
    timetable = Timetable("UTC", **kind, starts_at=utc("2026-01-01T01:00"), ends_at=utc("2026-01-01T03:00"))  # pyright: ignore[reportArgumentType]
    hours = [utc("2026-01-01T01:00"), utc("2026-01-01T02:00"), utc("2026-01-01T03:00")]

    assert timetable.between(utc("2025-01-01"), utc("2027-01-01"), 10) == hours
    assert timetable.newest(utc("2025-01-01"), utc("2027-01-01"), 2) == (hours[1:], 1)
    assert timetable.next_after(hours[-1]) is None


def test_results_are_in_utc_whatever_zone_the_question_has() -> None:
    at = datetime(2026, 1, 1, 12, tzinfo=timezone(timedelta(hours=5)))
    for timetable in (Timetable(NEW_YORK, "0 2 * * *"), Timetable(NEW_YORK, interval_seconds=60)):
        found = timetable.next_after(at)
        assert found is not None
        assert found.tzinfo is UTC


def test_a_limit_keeps_the_oldest_and_newest_keeps_the_newest() -> None:
    hourly = Timetable("UTC", "0 * * * *")
    window = utc("2026-01-01T00:00"), utc("2026-01-01T05:00")

    assert hourly.between(*window, 2) == [utc("2026-01-01T01:00"), utc("2026-01-01T02:00")]
    assert hourly.newest(*window, 2) == ([utc("2026-01-01T04:00"), utc("2026-01-01T05:00")], 3)
    assert hourly.newest(*window, 0) == ([], 5)
    assert hourly.newest(window[1], window[0], 3) == ([], 0)


@pytest.mark.parametrize(
    ("timetable", "older"),
    [
        (Timetable(NEW_YORK, "* * * * *"), 575_900),
        (Timetable(NEW_YORK, interval_seconds=1), 34_559_900),
        (Timetable(NEW_YORK, "0-59 0-23 * * *"), 575_840),
        (Timetable(NEW_YORK, "0 0 1 1 *"), 0),
    ],
)
def test_the_newest_after_400_days_of_downtime_are_found_at_once(timetable: Timetable, older: int) -> None:
    began = time.process_time()

    found, left = timetable.newest(utc("2025-01-01"), utc("2026-02-05"), 100)

    assert left == older
    assert found[-1] <= utc("2026-02-05")
    assert time.process_time() - began < 0.5  # 0.02 as a rule


@pytest.mark.parametrize("expression", ["* * 29 2 */7", "0 0 29 2 */7", "*/7 * 29 2 *", "59 23 31 12 *", "* * * * *"])
@pytest.mark.parametrize("after", ["2026-01-01", "2089-01-01"])
def test_a_search_for_the_next_time_takes_50_ms_at_most(expression: str, after: str) -> None:
    timetable = Timetable("Africa/Casablanca", expression)
    began = time.process_time()

    assert timetable.next_after(utc(after)) is not None

    assert time.process_time() - began < 0.05


@pytest.mark.parametrize("year", ["0001-01-02", "9998-01-01"])
def test_a_time_at_the_end_of_the_calendar_is_no_fault(year: str) -> None:
    for timetable in (
        Timetable(NEW_YORK, "30 2 * * *"),
        Timetable(NEW_YORK, "* * * * *"),
        Timetable("UTC", interval_seconds=1),
    ):
        found = timetable.next_after(utc(year))
        assert found is None or found.year == 1900
        assert timetable.between(utc("9998-01-01"), utc("9999-01-01"), 5) == []


def test_an_unaware_time_is_refused() -> None:
    timetable = Timetable("UTC", "0 0 * * *")
    naive = datetime.fromisoformat("2026-01-01")

    with pytest.raises(InvalidTimetable, match="after has no time zone"):
        timetable.next_after(naive)
    with pytest.raises(InvalidTimetable, match="until has no time zone"):
        timetable.between(utc("2026-01-01"), naive, 1)
    with pytest.raises(InvalidTimetable, match="after has no time zone"):
        timetable.newest(naive, utc("2026-01-01"), 1)
    with pytest.raises(InvalidTimetable, match="starts_at has no time zone"):
        Timetable("UTC", once=True, starts_at=naive)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "exactly one of cron_expr, interval_seconds and once. This timetable has none."),
        ({"cron_expr": "0 0 * * *", "interval_seconds": 60}, "This timetable has more than one."),
        ({"cron_expr": "0 0 * * *", "once": True}, "This timetable has more than one."),
        ({"once": True}, "needs starts_at"),
        ({"interval_seconds": 0}, "Invalid interval_seconds 0. Write a whole number from 1 to 31622400"),
        ({"interval_seconds": 366 * 86_400 + 1}, "Invalid interval_seconds 31622401"),
        ({"interval_seconds": 1.5}, "Invalid interval_seconds 1.5"),
        ({"interval_seconds": True}, "Invalid interval_seconds true"),
        ({"cron_expr": "@daily", "starts_at": utc("2026-01-02"), "ends_at": utc("2026-01-01")}, "is before starts_at"),
        ({"cron_expr": "@yearly", "starts_at": utc("2026-02-01"), "ends_at": utc("2026-03-01")}, "has no planned time"),
        ({"cron_expr": "@daily", "starts_at": utc("0001-02-01")}, "Invalid starts_at"),
    ],
)
def test_a_timetable_that_cannot_be_is_refused(given: dict[str, object], says: str) -> None:
    with pytest.raises(InvalidTimetable, match=says):
        Timetable("UTC", **given)  # pyright: ignore[reportArgumentType]


def test_a_spread_is_the_same_in_every_process_and_below_its_bound() -> None:
    ids = [UUID(int=number * 7919) for number in range(1000)]

    assert spread(UUID(int=1), 600) == timedelta(seconds=291, milliseconds=181)
    assert all(timedelta(0) <= spread(one, 10) < timedelta(seconds=10) for one in ids)
    assert spread(ids[0], 0) == timedelta(0)
    tenths = [spread(one, 10) // timedelta(seconds=1) for one in ids]
    assert min(tenths.count(tenth) for tenth in range(10)) > 60


@pytest.mark.parametrize(
    ("timetable", "words"),
    [
        (Timetable(NEW_YORK, "0 2 * * *"), "At 02:00 every day, New York time"),
        (
            Timetable("UTC", "*/15 9-17 * * MON-FRI"),
            "Every 15th minute from 09:00 through 17:59 on Monday through Friday, UTC",
        ),
        (Timetable("Etc/GMT+5", "@hourly"), "At the start of every hour, Etc/GMT+5"),
        (Timetable("UTC", interval_seconds=1), "Every second"),
        (Timetable("UTC", interval_seconds=5400), "Every 90 minutes"),
        (Timetable("UTC", interval_seconds=86_400), "Every 24 hours"),
        (Timetable("UTC", interval_seconds=7 * 86_400), "Every 7 days"),
        (
            Timetable(
                NEW_YORK, interval_seconds=61, starts_at=utc("2026-03-08T07:00"), ends_at=utc("2026-12-24T17:00")
            ),
            "Every 61 seconds, counted from 2026-03-08 03:00, New York time, until 2026-12-24 12:00",
        ),
        (
            Timetable(NEW_YORK, "@daily", starts_at=utc("2026-03-08T07:00:05")),
            "At 00:00 every day, New York time, from 2026-03-08 03:00:05",
        ),
        (Timetable(NEW_YORK, once=True, starts_at=utc("2026-03-08T07:00")), "Once, at 2026-03-08 03:00, New York time"),
    ],
)
def test_a_timetable_can_be_said_in_words(timetable: Timetable, words: str) -> None:
    assert in_words(timetable) == words


@pytest.mark.parametrize(
    ("expression", "after", "notes"),
    [
        ("30 2 * * *", "2026-03-07T12:00", ["moved", None]),
        ("0 2,3,4 * * *", "2026-03-08T06:30", ["skipped_hour", "offset_change", None]),
        ("0 * * * *", "2026-03-08T05:30", ["offset_change", "skipped_hour", "offset_change"]),
        ("0 3 * * *", "2026-03-08T05:30", ["offset_change", None]),
        ("30 1 * * *", "2026-11-01T00:00", ["repeated_hour", None]),
        ("0 * * * *", "2026-11-01T03:30", ["offset_change", "repeated_hour", "repeated_hour", "offset_change"]),
        ("0 12 * * *", "2026-06-01T00:00", [None, None]),
    ],
)
def test_a_day_on_which_the_clocks_change_is_noted(expression: str, after: str, notes: list[str | None]) -> None:
    found = preview(Timetable(NEW_YORK, expression), utc(after), len(notes))

    assert [planned.note for planned in found] == notes


def test_a_simulated_year_tells_which_fires_are_moved() -> None:
    found = simulate(Timetable(NEW_YORK, "30 2 * * *"), utc("2026-01-01T05:00"), utc("2027-01-01T05:00"))

    assert (found.count, found.first, found.last) == (365, utc("2026-01-01T07:30"), utc("2026-12-31T07:30"))
    assert [f"{odd.local:%m-%d %H:%M}" for odd in found.odd] == ["03-08 03:00"]
    assert [(str(day.day), day.seconds, day.count) for day in found.dst_days] == [
        ("2026-03-08", 3600, 1),
        ("2026-11-01", -3600, 1),
    ]
    assert found.longest_gap_seconds == 25 * 3600


def test_the_day_that_samoa_skipped_is_simulated() -> None:
    found = simulate(Timetable("Pacific/Apia", "0 12 * * *"), utc("2011-12-28T10:00"), utc("2012-01-01T10:00"))

    assert found.count == 5  # of the 28th to the 1st; that of the 30th fires when the 31st starts
    assert [f"{odd.local:%m-%d %H:%M}" for odd in found.odd] == ["12-31 00:00"]
    assert [(str(day.day), day.seconds, day.count) for day in found.dst_days] == [("2011-12-30", 86_400, 0)]


def test_a_simulation_is_what_the_timetable_plans() -> None:
    start, until = utc("2026-03-01T05:00"), utc("2026-03-20T04:00")
    for expression in ("*/20 * * * *", "10,50 1-4 * * *", "0 */6 * * 1-5"):
        timetable = Timetable(NEW_YORK, expression)
        times = timetable.between(start - timedelta(seconds=1), until - timedelta(seconds=1), 10**6)

        found = simulate(timetable, start, until)

        assert (found.count, found.first, found.last) == (len(times), times[0], times[-1])
        waits = [(b - a).total_seconds() for a, b in pairwise(times)]
        assert found.longest_gap_seconds == max(waits)


def test_a_simulation_of_nothing_has_no_times() -> None:
    found = simulate(Timetable("UTC", "@yearly"), utc("2026-02-01"), utc("2026-03-01"))

    assert (found.count, found.first, found.last, found.longest_gap_seconds) == (0, None, None, None)
    assert (found.odd, found.dst_days) == ([], [])


def test_a_simulation_has_a_bound() -> None:
    with pytest.raises(InvalidTimetable, match="50 years at most"):
        simulate(Timetable("UTC", "@yearly"), utc("1950-02-01"), utc("2026-03-01"))
