"""Planned times for people: with the local time, and a note where the clocks change."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Final, Literal
from zoneinfo import ZoneInfo

from jobplane.core.timetable import cron, firing
from jobplane.core.timetable.timetable import Timetable
from jobplane.core.timetable.zones import TICK, Change, changes, wall, zone

Note = Literal["moved", "skipped_hour", "repeated_hour", "offset_change"]
_NEAR: Final = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class PlannedTime:
    """A planned time in UTC and in the zone. `note` is None, or the first of these that is true:

    - `moved`: the written time does not exist on this day; it fires at the first instant after the gap.
    - `skipped_hour`: the first fire after a gap, and written times in the gap have no fire of their own.
    - `repeated_hour`: the clocks show this local time twice on this day.
    - `offset_change`: the clocks change on this local date, before or after this fire.
    """

    at: datetime
    local: datetime
    note: Note | None


def preview(timetable: Timetable, after: datetime, count: int) -> list[PlannedTime]:
    """The next planned times after an instant, as people read them."""
    return [planned_time(timetable, at) for at in islice(timetable.times(after), max(count, 0))]


def planned_time(timetable: Timetable, at: datetime) -> PlannedTime:
    """A planned time of this timetable with its note."""
    here = zone(timetable.timezone)
    return PlannedTime(at, at.astimezone(here), _note(timetable, at, here))


def _note(timetable: Timetable, at: datetime, here: ZoneInfo) -> Note | None:
    local = wall(at, here)
    near = list(changes(here, at - _NEAR, at + _NEAR))
    for change in near:
        if change.skips and change.at <= at and (note := _after_gap(timetable, at, local, change, here)):
            return note
    if any(change.low <= local < change.high for change in near if not change.skips):
        return "repeated_hour"
    return "offset_change" if any(change.touches(local.date()) for change in near) else None


def _after_gap(timetable: Timetable, at: datetime, local: datetime, change: Change, here: ZoneInfo) -> Note | None:
    if timetable.cron_expr is None:
        return None
    expression = cron.parse(timetable.cron_expr)
    if next(expression.after(change.low - TICK), change.high) >= change.high:
        return None  # nothing is written for the gap
    if next(firing.planned(expression, here, change.at - TICK), None) != at:
        return None
    return "skipped_hour" if expression.writes(local) else "moved"
