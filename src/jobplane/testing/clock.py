"""Time and chance in a test's hand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import psycopg

NOON: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)
EVEN: Final = 0.5
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


class Clock(ABC):
    """Of one database: what is due, what has expired, how long a backoff is. It stands still until it is moved."""

    @abstractmethod
    def now(self) -> datetime: ...

    @abstractmethod
    def move_to(self, at: datetime) -> None:
        """To any time with a time zone, back too."""

    @abstractmethod
    def load_dice(self, value: float) -> None:
        """Every throw gives this, in [0, 1): the jitter of a backoff, and all else that is left to chance."""

    def advance(self, by: timedelta | float) -> None:
        """Move on by a duration, or by seconds."""
        self.move_to(self.now() + (by if isinstance(by, timedelta) else timedelta(seconds=by)))


class MemoryClock(Clock):
    """For the SQLite stores of this process."""

    def __init__(self, at: datetime) -> None:
        self._at = _aware(at)
        self._dice = EVEN

    def now(self) -> datetime:
        return self._at

    def move_to(self, at: datetime) -> None:
        self._at = _aware(at)

    def load_dice(self, value: float) -> None:
        self._dice = value

    def microseconds(self) -> int:
        """What a store takes as its clock."""
        return (self._at - _EPOCH) // _MICROSECOND

    def throw(self) -> float:
        """What a store takes as its dice."""
        return self._dice


_TAKE_OVER: Final = """
create schema jobplane_testing;
create table jobplane_testing.clock (at timestamptz not null, dice double precision not null);
grant usage on schema jobplane_testing to public;
grant select on jobplane_testing.clock to public;
insert into jobplane_testing.clock values (now(), 0.5);
create or replace function jobplane.clock() returns timestamptz language sql volatile
  as 'select at from jobplane_testing.clock';
create or replace function jobplane.dice() returns double precision language sql volatile
  as 'select dice from jobplane_testing.clock';
"""


class DatabaseClock(Clock):
    """Inside a PostgreSQL database: every process that uses it has this time. `url` is its owner's."""

    def __init__(self, url: str, at: datetime) -> None:
        self._url = url
        self._run(_TAKE_OVER)
        self.move_to(at)

    def now(self) -> datetime:
        [[at]] = self._run("select at from jobplane_testing.clock")
        return at.astimezone(UTC)

    def move_to(self, at: datetime) -> None:
        self._run("update jobplane_testing.clock set at = %s", _aware(at))

    def load_dice(self, value: float) -> None:
        self._run("update jobplane_testing.clock set dice = %s", value)

    def _run(self, statement: str, *parameters: object) -> Sequence[tuple[Any, ...]]:
        with psycopg.connect(self._url) as conn:
            cursor = conn.execute(statement.encode(), parameters or None)
            return cursor.fetchall() if cursor.description else []


def _aware(at: datetime) -> datetime:
    if at.tzinfo is None:
        raise ValueError("A time needs a time zone, as in datetime(2026, 1, 1, tzinfo=UTC).")
    return at.astimezone(UTC)
