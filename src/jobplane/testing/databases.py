"""The database of one test: how it is reached, and its clock."""

from __future__ import annotations

import random
import time
from datetime import datetime
from typing import Protocol

from jobplane import opening
from jobplane.config import Config
from jobplane.store.base import Driver
from jobplane.testing.clock import Clock, MemoryClock
from jobplane.testing.hosting import HostedStores


class Database(Protocol):
    @property
    def config(self) -> Config: ...

    def stores(self) -> HostedStores:
        """For all Jobplanes that are there, and for who looks on."""
        ...

    def freeze(self, at: datetime) -> Clock:
        """Take its time and chance over; once."""
        ...

    def drop(self) -> None: ...


class MemoryDatabase:
    """SQLite in shared memory."""

    def __init__(self, driver: Driver) -> None:
        url, self._held = opening.shared_url(Config(database_url="sqlite:///:memory:"))
        self.config = Config(database_url=url)
        self._driver: Driver = driver
        self._clock: MemoryClock | None = None
        self._dice = random.SystemRandom()

    def stores(self) -> HostedStores:
        return HostedStores(self.config, self._driver, {"clock": self._microseconds, "dice": self._throw})

    def freeze(self, at: datetime) -> Clock:
        self._clock = MemoryClock(at)
        return self._clock

    def drop(self) -> None:
        self._held = None

    def _microseconds(self) -> int:
        return self._clock.microseconds() if self._clock else time.time_ns() // 1000

    def _throw(self) -> float:
        return self._clock.throw() if self._clock else self._dice.random()
