"""The clock and the dice of a database, in a test's hand."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tests.database import Database

START = datetime(2026, 1, 1, 12, tzinfo=UTC)

_TAKE_OVER = """
create schema testing;
create table testing.clock (at timestamptz not null, dice double precision not null);
insert into testing.clock values ('2026-01-01 12:00Z', 0.5);
grant usage on schema testing to public;
grant select on testing.clock to public;
grant select, update on testing.clock to jobplane_engine;
create or replace function jobplane.clock() returns timestamptz language sql volatile
  as 'select at from testing.clock';
create or replace function jobplane.dice() returns double precision language sql volatile
  as 'select dice from testing.clock';
"""


@dataclass
class Clock:
    """Stands still until it is moved; every process that uses the database sees the same time."""

    database: Database

    @classmethod
    def take_over(cls, database: Database) -> Clock:
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
