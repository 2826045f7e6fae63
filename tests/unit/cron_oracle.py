"""A second opinion on cron and clock changes: it walks UTC minute by minute, and uses neither our code nor cronsim.

The rule is the one of Debian's cron(8): "If time has moved forward, those jobs that would have run in the interval that
has been skipped will be run immediately. Conversely, if time has moved backward, care is taken to avoid running jobs
twice." It holds for jobs that run at a specific time: those whose minute and hour do not start with a star.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from random import Random
from zoneinfo import ZoneInfo

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")


@dataclass(frozen=True)
class Spec:
    """An expression, and the values that its fields were made from."""

    text: str
    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]

    @property
    def fixed(self) -> bool:
        minute, hour, *_ = self.text.split()
        return minute[0] != "*" and hour[0] != "*"

    def on(self, day: date) -> bool:
        _, _, day_field, _, weekday_field = self.text.split()
        by_day, by_weekday = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        either = by_day and by_weekday if "*" in {day_field[0], weekday_field[0]} else by_day or by_weekday
        return day.month in self.months and either


@dataclass(frozen=True)
class Walk:
    """Every minute of a window, in UTC and as the clocks of a zone show it."""

    minutes: list[tuple[datetime, datetime]]

    @classmethod
    def through(cls, zone: ZoneInfo, start: datetime, hours: int) -> Walk:
        instants = [start + number * MINUTE for number in range(hours * 60)]
        return cls([(at, at.astimezone(zone).replace(tzinfo=None)) for at in instants])

    def fires(self, spec: Spec) -> list[datetime]:
        """What is planned after the first minute of the window."""
        first = self.minutes[0][1].date()
        dates = [first + timedelta(days=number) for number in range(-1, len(self.minutes) // 1440 + 4)]
        good = {day for day in dates if spec.on(day)}
        if not spec.fixed:
            return [at for at, local in self.minutes[1:] if self._written(spec, good, local)]
        found: list[datetime] = []
        latest = self.minutes[0][1]
        for at, local in self.minutes[1:]:
            due = False
            while latest < local:  # one minute as a rule, all of the gap after one, none while time is repeated
                latest += MINUTE
                due = due or self._written(spec, good, latest)
            found += [at] if due else []
        return found

    @staticmethod
    def _written(spec: Spec, good: set[date], local: datetime) -> bool:
        return local.minute in spec.minutes and local.hour in spec.hours and local.date() in good


def changes(zone: ZoneInfo, year: int) -> list[datetime]:
    """The hours of a year in which the clocks of a zone change: the full hour before, in UTC."""

    def offset(at: datetime) -> timedelta | None:
        return at.astimezone(zone).utcoffset()

    days = [datetime(year, 1, 1, tzinfo=UTC) + timedelta(days=number) for number in range(366)]
    changed = [day for day, after in pairwise(days) if offset(day) != offset(after)]
    return [
        day + number * HOUR
        for day in changed
        for number in range(24)
        if offset(day + number * HOUR) != offset(day + (number + 1) * HOUR)
    ]


def random_spec(dice: Random, around: datetime) -> Spec:
    """An expression that is likely to fire near a local time, in one of the many ways to write it."""
    minute, minutes = _field(dice, 0, 59, around.minute, dense=0.25)
    hour, hours = _field(dice, 0, 23, around.hour, dense=0.35)
    day, days = _field(dice, 1, 31, around.day, dense=0.7)
    month, months = _field(dice, 1, 12, around.month, dense=0.8, names=MONTHS)
    weekday, weekdays = _field(dice, 0, 7, around.isoweekday(), dense=0.7, names=DAYS)
    folded = frozenset(number % 7 for number in weekdays)
    return Spec(" ".join((minute, hour, day, month, weekday)), minutes, hours, days, months, folded)


def _field(
    dice: Random, low: int, high: int, near: int, *, dense: float, names: tuple[str, ...] = ()
) -> tuple[str, frozenset[int]]:
    if dice.random() < dense:
        step = dice.choice((1, 1, 1, 2, 3, 5, 7))
        return ("*" if step == 1 else f"*/{step}"), frozenset(range(low, high + 1, step))
    items = [_item(dice, low, high, near, names) for _ in range(dice.choice((1, 1, 2, 3)))]
    return ",".join(text for text, _ in items), frozenset[int]().union(*(values for _, values in items))


def _item(dice: Random, low: int, high: int, near: int, names: tuple[str, ...]) -> tuple[str, frozenset[int]]:
    first = min(max(dice.choice((near, near - 1, near + 1, low, dice.randint(low, high))), low), high)
    last = dice.choice((first, first, first, dice.randint(first, high)))
    step = dice.choice((0, 0, 2, 3)) if last > first or dice.random() < 0.05 else 0
    shown = f"{_word(dice, first, low, names)}-{_word(dice, last, low, names)}"
    if first == last and not step and dice.random() < 0.9:
        shown = _word(dice, first, low, names)
    return (f"{shown}/{step}" if step else shown), frozenset(range(first, last + 1, step or 1))


def _word(dice: Random, number: int, low: int, names: tuple[str, ...]) -> str:
    at = number - low
    return dice.choice((str(number), names[at], names[at].lower())) if at < len(names) else str(number)
