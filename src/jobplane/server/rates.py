"""How many requests a second each key may make in this process."""

from __future__ import annotations

from typing import Final

from jobplane.control.access import Caller
from jobplane.core.errors import RateLimited
from jobplane.process.loop import Allowance

_MOST: Final = 10_000  # keys that are remembered


class Rates:
    """A bucket for each key: twice the rate at once, then the rate. 0 means no limit."""

    def __init__(self, per_second: int) -> None:
        self._rate = per_second
        self._buckets: dict[str, Allowance] = {}

    def spend(self, caller: Caller) -> None:
        """Count one request; raises RateLimited."""
        if not self._rate or caller.actor is None:
            return
        bucket = self._buckets.get(caller.actor.id)
        if bucket is None:
            if len(self._buckets) >= _MOST:
                self._buckets.clear()
            bucket = self._buckets[caller.actor.id] = Allowance(2 * self._rate, self._rate)
        if wait := bucket.short_by():
            raise RateLimited(f"This key may make {self._rate} requests a second. Try again later.", retry_after=wait)
        bucket.spend()
