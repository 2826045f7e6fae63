"""Time and chance: microseconds UTC in the file, aware datetimes outside, one clock and one pair of dice for a call."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final, overload
from uuid import UUID

from jobplane.core.actors import Actor

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
SECOND: Final = 1_000_000
FIRST: Final = 946_684_800 * SECOND  # the year 2000
LAST: Final = 253_370_764_800 * SECOND  # the year 9999
EARLIEST: Final = -62_135_596_800 * SECOND  # what a datetime can be
LATEST: Final = 253_402_300_799 * SECOND
MAX_DELAY: Final = 3_153_600_000
_MICROSECOND: Final = timedelta(microseconds=1)
_dice: Final = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class Moment:
    """What one call knows of time and chance, and who makes it; read once, after the file is ours."""

    now: int
    dice: Callable[[], float]
    actor: Actor | None = None  # None: the user of the operating system


def clock() -> int:
    """The only clock of every due, lease and backoff decision; a store may be given another."""
    return time.time_ns() // 1000


def dice() -> float:
    """The only chance in a decision, in [0, 1); a store may be given others."""
    return _dice.random()


def micros(at: datetime) -> int:
    """An aware time as microseconds UTC."""
    return (at - EPOCH) // _MICROSECOND


@overload
def instant(at: int) -> datetime: ...
@overload
def instant(at: int | None) -> datetime | None: ...
def instant(at: int | None) -> datetime | None:
    """Microseconds UTC as an aware time."""
    return None if at is None else EPOCH + timedelta(0, 0, at)


def after(now: int, seconds: float) -> int:
    return now + round(seconds * SECOND)


def due_time(at: datetime | None, delay_seconds: float | None, now: int) -> int | None:
    """When a job may be claimed; None where that is no time between 2000 and 9999."""
    if at is not None:
        due = micros(at)
        return due if FIRST <= due < LAST else None
    return now if delay_seconds is None else after(now, delay_seconds)


@lru_cache(1024)
def parse_uuid(text: str) -> UUID:
    """The UUID of something that comes again and again, like a tenant."""
    return UUID(text)


@lru_cache(1024)
def format_uuid(uuid: UUID) -> str:
    """The text of a UUID that comes again and again, like the token of a claim."""
    return str(uuid)
