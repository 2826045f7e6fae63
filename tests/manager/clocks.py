"""The clock of either store in a test's hand."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol

from tests.clock import START

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Hands(Protocol):
    """Stands still at noon of 2026-01-01 until it is moved."""

    def now(self) -> datetime: ...
    def advance(self, by: timedelta | float) -> None: ...


@dataclass
class FileClock:
    """The clock of a SQLite store: the machine's own, until a test stops it."""

    stopped_at: datetime | None = None

    def __call__(self) -> int:
        return time.time_ns() // 1000 if self.stopped_at is None else (self.stopped_at - _EPOCH) // _MICROSECOND

    def stop(self) -> None:
        self.stopped_at = START

    def now(self) -> datetime:
        assert self.stopped_at
        return self.stopped_at

    def advance(self, by: timedelta | float) -> None:
        self.stopped_at = self.now() + (by if isinstance(by, timedelta) else timedelta(seconds=by))
