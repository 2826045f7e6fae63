"""What a timetable does over a long time: how often it fires, and what the clock changes do to it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Final

from jobplane.core.errors import InvalidTimetable
from jobplane.core.timetable.preview import PlannedTime, planned_time
from jobplane.core.timetable.timetable import Timetable
from jobplane.core.timetable.zones import DAY, TICK, changes, midnight, zone

LONGEST: Final = timedelta(days=50 * 366)


@dataclass(frozen=True, slots=True)
class ChangedDay:
    """A local date on which the clocks jump; forward where `seconds` is positive. `count` fires are on that date."""

    day: date
    at: datetime
    seconds: int
    count: int


@dataclass(frozen=True, slots=True)
class Simulation:
    """What would have been planned. `odd` fires are at another local time than the written one."""

    count: int
    first: datetime | None
    last: datetime | None
    odd: list[PlannedTime]
    dst_days: list[ChangedDay]
    longest_gap_seconds: float | None  # between two fires; None: there are fewer than two


def simulate(timetable: Timetable, start: datetime, until: datetime) -> Simulation:
    """What is planned from `start` up to, but not including, `until`; about 1 ms for a year."""
    if until - start > LONGEST:
        raise InvalidTimetable("Simulate 50 years at most. Choose an earlier until.", field="until")
    batches = list(timetable.batches(start - TICK, until - TICK))
    waits = [(after.first - before.last).total_seconds() for before, after in pairwise(batches)]
    total = sum(batch.count for batch in batches)
    widest = max([*waits, *(batch.widest for batch in batches)], default=0)
    return Simulation(
        count=total,
        first=batches[0].first if batches else None,
        last=batches[-1].last if batches else None,
        odd=_odd(timetable, start, until),
        dst_days=_dst_days(timetable, start, until),
        longest_gap_seconds=widest if total > 1 else None,
    )


def _odd(timetable: Timetable, start: datetime, until: datetime) -> list[PlannedTime]:
    gaps = [change.at for change in changes(zone(timetable.timezone), start - TICK, until - TICK) if change.skips]
    at_gaps = [planned_time(timetable, at) for at in gaps if timetable.next_after(at - TICK) == at]
    return [planned for planned in at_gaps if planned.note == "moved"]


def _dst_days(timetable: Timetable, start: datetime, until: datetime) -> list[ChangedDay]:
    here, found = zone(timetable.timezone), list[ChangedDay]()
    for change in changes(here, start - TICK, until - TICK):
        day = change.low.date()
        window = (max(midnight(day, here), start) - TICK, min(midnight(day + DAY, here), until) - TICK)
        count = timetable.newest(*window, 0)[1]
        found.append(ChangedDay(day, change.at, int((change.after - change.before).total_seconds()), count))
    return found
