"""Time zones from the tzdata wheel alone, and the instants at which their clocks change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final
from zoneinfo import ZoneInfo

import tzdata

from jobplane.core.bounds import show
from jobplane.core.errors import InvalidTimetable

TZDATA_VERSION: Final = tzdata.__version__
# No planned time lies outside: the arithmetic of datetime ends at the years 1 and 9999.
EARLIEST: Final = datetime(1900, 1, 1, tzinfo=UTC)
LATEST: Final = datetime(9000, 1, 1, tzinfo=UTC)
DAY: Final = timedelta(days=1)
TICK: Final = timedelta.resolution
_SECOND: Final = timedelta(seconds=1)


class _PinnedZone(ZoneInfo):
    """A zone of the wheel; one that was read from a file could be neither copied nor pickled."""

    def __reduce__(self) -> tuple[Callable[[str], ZoneInfo], tuple[str]]:
        return zone, (self.key,)


def zone(name: str) -> ZoneInfo:
    """The time zone of an IANA name, the same on every operating system. Names are case-sensitive."""
    if name not in _known():
        close = _close_to(name)
        hint = f"Did you mean {' or '.join(close)}?" if close else "Write an IANA name, such as Europe/Berlin or UTC."
        raise InvalidTimetable(f"Unknown time zone {show(name)}. {hint}", field="timezone", close=close)
    return load(name)


@cache
def zone_names() -> Sequence[str]:
    """The names to offer to people: UTC, and one zone or more for each country. `zone` also accepts old names."""
    lines = files("tzdata").joinpath("zoneinfo", "zone.tab").read_text(encoding="utf-8").splitlines()
    return ("UTC", *sorted(line.split("\t")[2] for line in lines if line and not line.startswith("#")))


@cache
def _known() -> frozenset[str]:
    return frozenset(files("tzdata").joinpath("zones").read_text(encoding="utf-8").split())


@cache
def load(name: str) -> ZoneInfo:
    """A known zone, from the file of the wheel."""
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as data:
        return _PinnedZone.from_file(data, key=name)


def _close_to(name: str) -> list[str]:
    """Up to three known names; a city alone, or other capitals, are close."""
    wanted = name[:100].lower().replace(" ", "_")
    by_key: dict[str, str] = {}
    for known in sorted(_known()):
        by_key[known.lower()] = known
        by_key.setdefault(known.lower().rpartition("/")[2], known)
    found = [wanted] if wanted in by_key else get_close_matches(wanted, by_key, n=3, cutoff=0.75)
    return list(dict.fromkeys(by_key[key] for key in found))


def wall(at: datetime, zone: ZoneInfo) -> datetime:
    """What the clocks of the zone show, without a zone."""
    return at.astimezone(zone).replace(tzinfo=None)


def offset(at: datetime, zone: ZoneInfo) -> timedelta:
    """How far the clocks of the zone are ahead of UTC at this instant."""
    return at.astimezone(zone).utcoffset() or timedelta(0)


def midnight(day: date, zone: ZoneInfo) -> datetime:
    """The instant at which a local date begins: the first of two, or the end of the gap that swallows midnight."""
    return instant(datetime.combine(day, time()), zone)


def instant(local: datetime, zone: ZoneInfo) -> datetime:
    """The first instant at which the clocks show this; where a gap skips it, the first instant after the gap."""
    aware = local.replace(tzinfo=zone, fold=0)
    at = aware.astimezone(UTC)
    if wall(at, zone) == local:
        return at
    return _bisect(zone, aware.replace(fold=1).astimezone(UTC), at)


@dataclass(frozen=True, slots=True)
class Change:
    """The clocks of a zone jump: from the instant `at` on they are `after` ahead of UTC instead of `before`."""

    at: datetime
    before: timedelta
    after: timedelta

    @property
    def skips(self) -> bool:
        """Whether local time is skipped; otherwise it is repeated."""
        return self.after > self.before

    @property
    def low(self) -> datetime:
        """The first local time that is skipped or repeated."""
        return self.at.replace(tzinfo=None) + min(self.before, self.after)

    @property
    def high(self) -> datetime:
        """The first local time after it."""
        return self.at.replace(tzinfo=None) + max(self.before, self.after)

    def touches(self, day: date) -> bool:
        """Whether time of this local date is skipped or repeated."""
        return self.low.date() <= day <= (self.high - TICK).date()


@dataclass(frozen=True, slots=True)
class Stretch:
    """From `start` up to, but not including, `end` the clocks are `offset` ahead of UTC."""

    start: datetime
    end: datetime
    offset: timedelta


def changes(zone: ZoneInfo, after: datetime, until: datetime) -> Iterator[Change]:
    """The changes with after < at <= until, oldest first."""
    for year in range(max(after, EARLIEST).year - 1, min(until, LATEST).year + 1):
        yield from (change for change in _changes_of(zone, year) if after < change.at <= until)


def stretches(zone: ZoneInfo, start: datetime) -> Iterator[Stretch]:
    """Time from `start` on, cut where the offset changes, and at the ends of years."""
    for year in range(start.year, LATEST.year):
        end = datetime(year + 1, 1, 1, tzinfo=UTC)
        last = offset(end - _SECOND, zone)
        for change in (*_changes_of(zone, year), Change(end, last, last)):
            if change.at > start:
                yield Stretch(start, change.at, change.before)
                start = change.at


@lru_cache(maxsize=4096)
def _changes_of(zone: ZoneInfo, year: int) -> tuple[Change, ...]:
    """The changes after the first instant of a UTC year, up to and including that of the next; 0.2 ms.

    Two changes within 24 hours are seen as one. No zone has had that since 1970.
    """
    found: list[Change] = []
    at, end = datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)
    before = offset(at, zone)
    while at < end:
        after = offset(at + DAY, zone)
        if after != before:
            found.append(Change(_bisect(zone, at, at + DAY), before, after))
        at, before = at + DAY, after
    return tuple(found)


def _bisect(zone: ZoneInfo, low: datetime, high: datetime) -> datetime:
    """The first instant after `low`, and up to `high`, with another offset than `low` has."""
    before, seconds = offset(low, zone), int((high - low).total_seconds())
    first, last = 0, seconds
    while last - first > 1:
        middle = (first + last) // 2
        if offset(low + middle * _SECOND, zone) == before:
            first = middle
        else:
            last = middle
    return low + last * _SECOND
