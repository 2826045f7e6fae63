"""Written local times as instants: the rule for the days on which the clocks change, as Debian's cron has it.

An expression whose minute and hour are both written out is fixed: each of its times fires once. A time that is skipped
fires at the first instant after the gap, together with all others of that gap; a time that is repeated fires the first
time. An expression whose minute or hour begins with a star follows real time: it fires whenever the clocks show one of
its times, so never for a skipped one and twice for a repeated one.

The library is asked about local times without a zone alone: its own rule for wildcards is wrong where a clock moves by
half an hour, or at midnight.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise, takewhile
from typing import Final
from zoneinfo import ZoneInfo

from jobplane.core.timetable.cron import Cron
from jobplane.core.timetable.zones import DAY, LATEST, TICK, instant, midnight, stretches, wall

_MARGIN: Final = 3 * DAY  # more than any clock has ever jumped, with its offset from UTC


def planned(cron: Cron, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    """The planned times after an instant, oldest first."""
    times = _fixed(cron, zone, after) if cron.fixed else _wildcard(cron, zone, after)
    return takewhile(lambda at: at < LATEST, times)


def _fixed(cron: Cron, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    for local in cron.after(wall(after, zone)):
        at = instant(local, zone)
        if at > after:  # otherwise a repeated time, or another one of the same gap
            yield at
            after = at


def _wildcard(cron: Cron, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    start: datetime | None = after
    while start is not None:
        start = yield from _until_far(cron, zone, start)


def _until_far(cron: Cron, zone: ZoneInfo, after: datetime) -> Generator[datetime, None, datetime | None]:
    """The planned times up to a long pause; answers where to go on, or None where nothing comes any more.

    A search for a leap day would otherwise look up every clock change on its way, which takes 40 ms.
    """
    for stretch in stretches(zone, after):
        start, end = _local(stretch.start, stretch.offset), _local(stretch.end, stretch.offset)
        searched = start if stretch.start == after else start - TICK
        found: datetime | None = None
        for found in cron.after(searched):
            if found >= end:
                break
            yield stretch.start + (found - start)
            searched = found
        else:
            return None
        if searched + _MARGIN < end and end + _MARGIN < found:
            return found.replace(tzinfo=UTC) - _MARGIN
    return None


def _local(at: datetime, offset: timedelta) -> datetime:
    return at.replace(tzinfo=None) + offset


@dataclass(frozen=True, slots=True)
class Batch:
    """Planned times that follow each other: how many, the first, the last, and the longest wait between two."""

    count: int
    first: datetime
    last: datetime
    widest: float


def batches(cron: Cron, zone: ZoneInfo, after: datetime, until: datetime) -> Iterator[Batch]:
    """The planned times with after < t <= until, a batch for each local date that has some; 3 µs for a date."""
    day, last = wall(after, zone).date(), wall(until, zone).date()
    start = midnight(day, zone)
    while day <= last:
        end = midnight(day + DAY, zone)
        low, high = max(start - TICK, after), min(end - TICK, until)
        if end - start == DAY and wall(start - TICK, zone) + TICK == datetime.combine(day, time()):
            batch = _by_arithmetic(cron, day, start, low, high)
        else:  # the clocks change on this date, or a gap moves fires into its first instant
            batch = _by_search(cron, zone, low, high)
        if batch:
            yield batch
        day, start = day + DAY, end


def _by_arithmetic(cron: Cron, day: date, start: datetime, after: datetime, until: datetime) -> Batch | None:
    if not cron.falls_on(day):
        return None
    low = bisect_right(cron.marks, (after - start).total_seconds())
    high = bisect_right(cron.marks, (until - start).total_seconds())
    if low >= high:
        return None
    marks = cron.marks[low:high]
    widest = cron.widest if len(marks) == len(cron.marks) else max((b - a for a, b in pairwise(marks)), default=0)
    return Batch(len(marks), start + timedelta(seconds=marks[0]), start + timedelta(seconds=marks[-1]), widest)


def _by_search(cron: Cron, zone: ZoneInfo, after: datetime, until: datetime) -> Batch | None:
    times = list(takewhile(lambda at: at <= until, planned(cron, zone, after)))
    if not times:
        return None
    return Batch(len(times), times[0], times[-1], max(((b - a).total_seconds() for a, b in pairwise(times)), default=0))
