"""A timetable as a sentence."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from jobplane.core.timetable import cron
from jobplane.core.timetable.timetable import Timetable
from jobplane.core.timetable.zones import zone

_DAY: Final = 86_400
_UNITS: Final = ((_DAY, "days"), (3600, "hours"), (60, "minutes"), (1, "seconds"))


def in_words(timetable: Timetable) -> str:
    """The timetable for people: `At 02:00 every day, New York time`."""
    if timetable.cron_expr is not None:
        said = [f"{cron.parse(timetable.cron_expr).in_words()}, {_place(timetable)}"]
        said += [f"from {_local(timetable, timetable.starts_at)}"] if timetable.starts_at else []
    elif timetable.interval_seconds is not None:
        said = [_every(timetable.interval_seconds)]
        start = timetable.starts_at
        said += [f"counted from {_local(timetable, start)}, {_place(timetable)}"] if start else []
    else:
        said = [f"Once, at {_local(timetable, timetable.starts_at)}, {_place(timetable)}"]
    if timetable.ends_at and not timetable.once:
        said.append(f"until {_local(timetable, timetable.ends_at)}")
    return ", ".join(said)


def _every(seconds: int) -> str:
    units = _UNITS if seconds >= 2 * _DAY else _UNITS[1:]  # a day may have 23 hours, this one has 24
    size, unit = next((size, unit) for size, unit in units if seconds % size == 0)
    number = seconds // size
    return f"Every {unit[:-1]}" if number == 1 else f"Every {number} {unit}"


def _place(timetable: Timetable) -> str:
    area, _, city = timetable.timezone.rpartition("/")
    if not area or area == "Etc":
        return timetable.timezone
    return f"{city.replace('_', ' ')} time"


def _local(timetable: Timetable, at: datetime | None) -> str:
    if at is None:
        return "an unknown time"
    local = at.astimezone(zone(timetable.timezone))
    return f"{local:%Y-%m-%d %H:%M}" if local.second == 0 else f"{local:%Y-%m-%d %H:%M:%S}"
