"""Times, spans and counts in words, for sentences that people read."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

CAP: Final = 10_000  # where the stores stop counting
_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR


def clock_time(at: datetime | None, now: datetime | None) -> str:
    """`14:03 UTC`, with the date where it is not today's."""
    if at is None:
        return "an unknown time"
    at = at.astimezone(UTC)
    is_today = now is not None and at.date() == now.astimezone(UTC).date()
    return f"{at:%H:%M} UTC" if is_today else f"{at:%Y-%m-%d %H:%M} UTC"


def span(seconds: float) -> str:
    """`45 s`, `12 min`, `5 h` or `3 days`: one unit, with two digits as a rule."""
    if seconds < 2 * _MINUTE:
        return f"{round(seconds)} s"
    if seconds < 2 * _HOUR:
        return f"{round(seconds / _MINUTE)} min"
    if seconds < 2 * _DAY:
        return f"{round(seconds / _HOUR)} h"
    return f"{round(seconds / _DAY)} days"


def counted(number: int, noun: str = "job") -> str:
    """`1 job`, `1,204 jobs`, `at least 10,000 jobs`."""
    if number == 1:
        return f"1 {noun}"
    return f"{'at least ' if number >= CAP else ''}{number:,} {noun}s"


def paused(since: datetime | None, by: str | None, reason: str | None, now: datetime | None) -> str:
    """`is paused since 14:03 UTC by key:ops (deploy)`."""
    who = f" by {by}" if by else ""
    why = f" ({reason})" if reason else ""
    return f"is paused since {clock_time(since, now)}{who}{why}"


def error_line(text: str | None, most: int = 200) -> str:
    """The line of an error that says what went wrong, cut: the last one of a traceback, else the first one."""
    lines = [line.strip() for line in (text or "").splitlines() if line.strip()]
    if not lines:
        return ""
    return lines[-1 if lines[0].startswith("Traceback ") else 0][:most]


def reason_of(error: Exception) -> str:
    """Why something failed, without the number and the path that Python puts into an OSError."""
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return said.rstrip(".") or type(error).__name__
