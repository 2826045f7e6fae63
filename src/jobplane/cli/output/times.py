"""Times and durations, as people write and read them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

import click

from jobplane.cli.param_type import ParamType
from jobplane.core.bounds import show

_UNITS: Final = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400, "w": 604_800}
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)(s|min|m|h|d|w)?")
_STEPS: Final = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))
_MOST_SECONDS: Final = 100 * 365 * 86_400


def parse_time(text: str) -> datetime:
    """A time of the API."""
    return datetime.fromisoformat(text)


def format_age(text: str | None, now: datetime | None = None) -> str:
    """`3 min ago` or `in 2 h`; `-` where there is no time."""
    if not text:
        return "-"
    seconds = ((now or datetime.now(UTC)) - parse_time(text)).total_seconds()
    if abs(seconds) < 1:
        return "now"
    return f"{format_duration(seconds)} ago" if seconds > 0 else f"in {format_duration(-seconds)}"


def format_duration(seconds: float) -> str:
    """The largest unit alone."""
    if seconds < 1:
        return f"{round(seconds * 1000)} ms"
    size, unit = next(step for step in _STEPS if seconds >= step[0])
    return f"{int(seconds // size)} {unit}"


class Duration(ParamType[float]):
    """`90`, `90s`, `10m`, `2h`, `1d`: seconds."""

    name = "duration"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        found = _DURATION.fullmatch(str(value))
        seconds = float(found[1]) * _UNITS[found[2] or "s"] if found else _MOST_SECONDS + 1
        if seconds > _MOST_SECONDS:
            self.fail(f"{show(value)} is not a duration. Write 90s, 10m, 2h or 1d.", param, ctx)
        return seconds


class Moment(ParamType[str]):
    """`2h`, which is two hours ago, or an ISO 8601 time; without a zone it is this machine's."""

    name = "time"

    def __init__(self, *, is_past: bool) -> None:
        self._is_past = is_past

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value)
        if self._is_past and _DURATION.fullmatch(text):
            return (datetime.now(UTC) - timedelta(seconds=Duration().convert(text, param, ctx))).isoformat()
        try:
            return datetime.fromisoformat(text).astimezone(UTC).isoformat()
        except (ValueError, OverflowError):
            also = ", or 2h for two hours ago" if self._is_past else ""
            self.fail(f"{show(text)} is not a time. Write 2026-02-16T10:30:00Z{also}.", param, ctx)
