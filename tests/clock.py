"""The clock and the dice of a database, in a test's hand."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from jobplane.store.sqlite import moment
from tests.database import Cluster, Database

START = datetime(2026, 1, 1, 12, tzinfo=UTC)

_TAKE_OVER = """
create schema if not exists testing;
create table testing.clock (one boolean primary key, at timestamptz not null, dice double precision not null);
insert into testing.clock values (true, '2026-01-01 12:00Z', 0.5);
grant usage on schema testing to public;
grant select on testing.clock to public;
grant select, update on testing.clock to jobplane_engine;
create or replace function jobplane.clock() returns timestamptz language sql volatile
  as 'select at from testing.clock where one';
create or replace function jobplane.dice() returns double precision language sql volatile
  as 'select dice from testing.clock where one';
"""


def clocked(cluster: Cluster) -> str:
    """A template whose clock is taken over already, made at its first use."""
    return cluster.derived(_template(cluster), _TAKE_OVER)


def _template(cluster: Cluster) -> str:
    return f"{cluster.template}_clocked"


@dataclass
class Clock:
    """Stands still until it is moved; every process that uses the database sees the same time."""

    database: Database

    @classmethod
    def take_over(cls, database: Database) -> Clock:
        if database.template == _template(database.cluster):
            database.peek("update testing.clock set at = %s, dice = 0.5", START)
        else:
            database.own(_TAKE_OVER)
        return cls(database)

    def now(self) -> datetime:
        return self.database.peek("select at from testing.clock")[0][0]

    def advance(self, by: timedelta | float) -> None:
        """Move on by a duration, or by seconds."""
        step = by if isinstance(by, timedelta) else timedelta(seconds=by)
        self.database.peek("update testing.clock set at = at + %s", step)

    def load_dice(self, value: float) -> None:
        """Every throw of the dice gives this, in [0, 1)."""
        self.database.peek("update testing.clock set dice = %s", value)


_FORM: Final = struct.Struct("<qd")


@dataclass
class FileClock:
    """The same for a SQLite store, in a small file that every process reads; the real ones until it is taken over."""

    path: Path

    def take_over(self) -> FileClock:
        self._write(moment.micros(START), 0.5)
        return self

    def microseconds(self) -> int:
        """What a store takes as its clock."""
        return self._read()[0] if self.path.exists() else moment.clock()

    def throw(self) -> float:
        """What a store takes as its dice."""
        return self._read()[1] if self.path.exists() else moment.dice()

    def now(self) -> datetime:
        return moment.instant(self._read()[0])

    def advance(self, by: timedelta | float) -> None:
        """Move on by a duration, or by seconds."""
        step = by if isinstance(by, timedelta) else timedelta(seconds=by)
        at, dice = self._read()
        self._write(at + step // timedelta(microseconds=1), dice)

    def load_dice(self, value: float) -> None:
        """Every throw of the dice gives this, in [0, 1)."""
        self._write(self._read()[0], value)

    def _read(self) -> tuple[int, float]:
        at, dice = _FORM.unpack(self.path.read_bytes())
        return at, dice

    def _write(self, at: int, dice: float) -> None:
        """Whole at once: another process may be looking."""
        part = self.path.with_suffix(".part")
        part.write_bytes(_FORM.pack(at, dice))
        part.replace(self.path)
