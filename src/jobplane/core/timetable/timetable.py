"""A timetable: what a schedule trigger plans, judged when it is made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count, islice, takewhile
from typing import Final

from jobplane.core.bounds import show
from jobplane.core.errors import InvalidTimetable
from jobplane.core.timetable import cron, firing
from jobplane.core.timetable.zones import EARLIEST, LATEST, TICK, zone

LONGEST_INTERVAL: Final = 366 * 86_400
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_HOUR: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Timetable:
    """Planned times by a cron expression, an interval, or one single time; raises InvalidTimetable.

    The zone is where a cron expression is read. An interval is elapsed time: it counts from `starts_at`, or from 1970
    in UTC, and no clock change moves it. `starts_at` and `ends_at` are inclusive.
    """

    timezone: str
    cron_expr: str | None = None
    interval_seconds: int | None = None
    once: bool = False
    starts_at: datetime | None = None
    ends_at: datetime | None = None

    def __post_init__(self) -> None:
        zone(self.timezone)
        given = [self.cron_expr is not None, self.interval_seconds is not None, self.once]
        if sum(given) != 1:
            says = "none" if not any(given) else "more than one"
            raise InvalidTimetable(
                f"Write exactly one of cron_expr, interval_seconds and once. This timetable has {says}."
            )
        self._judge_interval()
        self._judge_window()
        if self.cron_expr is not None:
            cron.parse(self.cron_expr)
        if self.ends_at is not None and self.next_after(EARLIEST) is None:
            raise InvalidTimetable(
                "The timetable has no planned time up to ends_at. Choose a later one.", field="ends_at"
            )

    def next_after(self, at: datetime) -> datetime | None:
        """The first planned time strictly after `at`, in UTC. None: there is none, ever."""
        return next(self.times(at), None)

    def between(self, after: datetime, until: datetime, limit: int) -> list[datetime]:
        """The planned times with after < t <= until, oldest first, at most `limit`."""
        until = _aware(until, "until")
        return list(islice(takewhile(lambda at: at <= until, self.times(after)), max(limit, 0)))

    def newest(self, after: datetime, until: datetime, limit: int) -> tuple[list[datetime], int]:
        """The newest `limit` of these, oldest first, and how many older ones there are.

        It takes a few milliseconds, however long ago `after` is.
        """
        after, until = self._window(after, until)
        total = self._count(after, until)
        wanted = min(max(limit, 0), total)
        found: list[datetime] = []
        high, span = until, self._step() or _HOUR
        while len(found) < wanted:
            low = max(after, high - span) if high - after > span else after
            found = [*takewhile(lambda at, high=high: at <= high, self.times(low)), *found]
            high, span = low, span * 2
        return found[len(found) - wanted :], total - wanted

    def times(self, after: datetime) -> Iterator[datetime]:
        """The planned times strictly after an instant, oldest first; it may not end."""
        after = max(_aware(after, "after"), EARLIEST)
        if self.starts_at is not None:
            after = max(after, self.starts_at.astimezone(UTC) - TICK)
        if after >= LATEST:
            return iter(())
        ends_at = LATEST if self.ends_at is None else self.ends_at
        return takewhile(lambda at: at <= ends_at, self._planned(after))

    def batches(self, after: datetime, until: datetime) -> Iterator[firing.Batch]:
        """The planned times with after < t <= until in batches, without making each of them."""
        after, until = self._window(after, until)
        if after >= until:
            return
        if self.cron_expr is not None:
            yield from firing.batches(cron.parse(self.cron_expr), zone(self.timezone), after, until)
        elif (first := self.next_after(after)) is not None and first <= until:
            step = self._step()
            further = (until - first) // step if step else 0
            last = first + further * step if step else first
            yield firing.Batch(further + 1, first, last, step.total_seconds() if step and further else 0)

    def _planned(self, after: datetime) -> Iterator[datetime]:
        if self.cron_expr is not None:
            return firing.planned(cron.parse(self.cron_expr), zone(self.timezone), after)
        anchor = EPOCH if self.starts_at is None else self.starts_at.astimezone(UTC)
        step = self._step()
        if not step:
            return iter((anchor,) if anchor > after else ())
        return (anchor + number * step for number in count((after - anchor) // step + 1))

    def _step(self) -> timedelta:
        return timedelta(seconds=self.interval_seconds or 0)

    def _count(self, after: datetime, until: datetime) -> int:
        return sum(batch.count for batch in self.batches(after, until))

    def _window(self, after: datetime, until: datetime) -> tuple[datetime, datetime]:
        after, until = max(_aware(after, "after"), EARLIEST), min(_aware(until, "until"), LATEST)
        if self.starts_at is not None:
            after = max(after, self.starts_at.astimezone(UTC) - TICK)
        if self.ends_at is not None:
            until = min(until, self.ends_at.astimezone(UTC))
        return after, until

    def _judge_interval(self) -> None:
        seconds = self.interval_seconds
        if seconds is None:
            return
        if not isinstance(seconds, int) or isinstance(seconds, bool) or not 1 <= seconds <= LONGEST_INTERVAL:  # pyright: ignore[reportUnnecessaryIsInstance]
            rule = f"Write a whole number from 1 to {LONGEST_INTERVAL}, which is 366 days."
            raise InvalidTimetable(f"Invalid interval_seconds {show(seconds)}. {rule}", field="interval_seconds")

    def _judge_window(self) -> None:
        for name, at in (("starts_at", self.starts_at), ("ends_at", self.ends_at)):
            if at is not None and not EARLIEST <= _aware(at, name) < LATEST:
                raise InvalidTimetable(f"Invalid {name} {at}. Write a year from 1900 to 8999.", field=name)
        if self.once and self.starts_at is None:
            raise InvalidTimetable("A timetable with once needs starts_at, the time when it fires.", field="starts_at")
        if self.starts_at is not None and self.ends_at is not None and self.ends_at < self.starts_at:
            raise InvalidTimetable("The ends_at is before starts_at. Write a later one.", field="ends_at")


def _aware(at: datetime, name: str) -> datetime:
    if at.utcoffset() is None:
        message = f"The {name} has no time zone: {at}. Write its offset, as in 2026-01-31T09:00:00+01:00 or …Z."
        raise InvalidTimetable(message, field=name)
    return at.astimezone(UTC)
