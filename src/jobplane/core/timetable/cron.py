"""Cron expressions: five fields as Debian's cron reads them. What is wrong with one is said before it is stored."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import lru_cache
from itertools import pairwise
from typing import Final

from cronsim import CronSim, CronSimError

from jobplane.core.bounds import show
from jobplane.core.errors import InvalidTimetable

LONGEST: Final = 200  # characters
ALIASES: Final[Mapping[str, str]] = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_MONTHS: Final = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS: Final = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_ITEM: Final = re.compile(r"(?:\*|(\w+)(?:-(\w+))?)(?:/([0-9]+))?", re.ASCII)
_EVERY: Final = re.compile(r"@every\s+(\d{1,6})\s*([smh])", re.ASCII | re.IGNORECASE)
_UNITS: Final = {"s": 1, "m": 60, "h": 3600}
_ANY_DAY: Final = datetime.combine(date(2000, 1, 1), time())


@dataclass(frozen=True, slots=True)
class Cron:
    """A cron expression without a zone: it speaks of what a clock on the wall shows."""

    fixed: bool  # minute and hour are written out: each time fires once, whatever the clocks do
    marks: tuple[int, ...]  # seconds after midnight
    widest: int  # seconds: the longest wait between two marks of a day
    simulator: CronSim

    def after(self, local: datetime) -> Iterator[datetime]:
        """The written local times after this one; it ends where none comes within 50 years."""
        simulator = copy.copy(self.simulator)
        simulator.dt = local.replace(microsecond=0)
        return simulator

    def falls_on(self, day: date) -> bool:
        return day.month in self.simulator.months and self.simulator.match_day(day)

    def writes(self, local: datetime) -> bool:
        """Whether this local time is a written one."""
        return self.falls_on(local.date()) and local.hour * 3600 + local.minute * 60 + local.second in self.marks

    def in_words(self) -> str:
        return self.simulator.explain()


@lru_cache(maxsize=4096)
def parse(expression: str) -> Cron:
    """The expression as a value, or InvalidTimetable."""
    fields = [field.judge(text, expression) for field, text in zip(_FIELDS, _fields(expression), strict=True)]
    try:
        simulator = CronSim(" ".join(fields), _ANY_DAY)
    except CronSimError:
        hint = "The months that it names have no such day: correct the day of the month or the months."
        raise _wrong(expression, f"It never fires. {hint}") from None
    marks = tuple(sorted(hour * 3600 + minute * 60 for hour in simulator.hours for minute in simulator.minutes))
    fixed = not (fields[0].startswith("*") or fields[1].startswith("*"))
    return Cron(fixed, marks, max((b - a for a, b in pairwise(marks)), default=0), simulator)


def _fields(expression: str) -> list[str]:
    if len(expression) > LONGEST:
        raise _wrong(expression, f"It has {len(expression)} characters, and {LONGEST} are allowed.")
    text = expression.strip()
    if text.startswith("@"):
        text = ALIASES.get(text.lower()) or _refuse_alias(expression)
    fields = text.split()
    if fields and "=" in fields[0]:
        raise _wrong(expression, "It must not set variables. Write the time zone as timezone.")
    if len(fields) == 6:
        hint = f'Leave out the field for seconds, as in "{" ".join(fields[1:])}".'
        raise _wrong(expression, f"It has six fields. {hint} For less than a minute use interval_seconds.")
    if len(fields) != 5:
        rule = "minute, hour, day of the month, month, day of the week"
        raise _wrong(expression, f"It must have five fields, not {len(fields)}: {rule}.")
    return fields


def _refuse_alias(expression: str) -> str:
    text = expression.strip().lower()
    if text.startswith("@every"):
        every = _EVERY.fullmatch(text)
        seconds = f"interval_seconds = {int(every[1]) * _UNITS[every[2].lower()]}" if every else "interval_seconds"
        raise _wrong(expression, f"@every is not a cron expression. Use {seconds} instead.")
    if text == "@reboot":
        raise _wrong(expression, "A schedule does not know when a machine starts. Use a startup hook of the worker.")
    raise _wrong(expression, f"Unknown name. Write five fields, or one of {', '.join(ALIASES)}.")


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    low: int
    high: int
    names: tuple[str, ...] = ()
    first: int = 0  # the number of the first name

    def judge(self, text: str, expression: str) -> str:
        """The field as the library reads it; raises InvalidTimetable with the item that is wrong and what to write."""
        return ",".join(self._judge_item(item, expression) for item in text.split(","))

    def _judge_item(self, item: str, expression: str) -> str:
        match = _ITEM.fullmatch(item)
        if match is None:
            raise _wrong(expression, f"{self._about(item)} {self._hint(item)}")
        low, high = (self._number(word, item, expression) for word in (match[1], match[2]))
        if low is not None and high is not None and high < low:
            raise _wrong(expression, f"{self._about(item)} {self._turned(match[1], match[2])}")
        if match[3] and not 1 <= int(match[3][:9]) <= self.high:
            hint = "Use interval_seconds for longer steps." if self.name in {"minute", "hour"} else ""
            raise _wrong(expression, f"{self._about(item)} A step is from 1 to {self.high}. {hint}".rstrip())
        return item if high is None or high != low else str(low)  # cronsim reads 5-5/2 as 5-59/2

    def _number(self, word: str | None, item: str, expression: str) -> int | None:
        if word is None:
            return None
        if word.upper() in self.names:
            return self.names.index(word.upper()) + self.first
        if not word.isdigit() or not self.low <= int(word[:9]) <= self.high:
            raise _wrong(expression, f"{self._about(item)} {self._hint(item)}")
        return int(word)

    def _about(self, item: str) -> str:
        return f"The {self.name} has {show(item)}."

    def _hint(self, item: str) -> str:
        if item == "?":
            return "Write * instead."
        words = f", or a name from {self.names[0]} to {self.names[-1]}" if self.names else ""
        return f"Write a number from {self.low} to {self.high}{words}; *, a range such as 1-5, a step such as */2."

    def _turned(self, low: str, high: str) -> str:
        if self.names == _DAYS and self._number(high, "", "") == 0:
            return f"Sunday is 0 at the start of a range and 7 at its end: write {low}-7."
        again = 1 if self.names == _DAYS else self.low  # 7 is Sunday, as 0 is
        return f"A range goes upwards: write {low}-{self.high},{again}-{high}."


_FIELDS: Final = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day of the month", 1, 31),
    _Field("month", 1, 12, _MONTHS, 1),
    _Field("day of the week", 0, 7, _DAYS),
)


def _wrong(expression: str, reason: str) -> InvalidTimetable:
    return InvalidTimetable(f"Invalid cron_expr {show(expression, 100)}. {reason}", field="cron_expr")
