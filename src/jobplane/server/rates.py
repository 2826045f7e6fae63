"""How many requests a second each key may make in this process, and how often an address may sign in."""

from __future__ import annotations

from ipaddress import IPv6Address, IPv6Network, ip_address
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


class SignIns:
    """How often an address may try to sign in: a minute's worth at once, then the rate. 0 means no limit.

    A network of IPv6 counts as one address: a client has all of its /64. The oldest address goes when there are too
    many.
    """

    def __init__(self, per_minute: int) -> None:
        self._most = per_minute
        self._buckets: dict[str, Allowance] = {}

    def spend(self, address: str | None) -> None:
        """Count one attempt; raises RateLimited."""
        if not self._most:
            return
        place = _network(address or "")
        bucket = self._buckets.pop(place, None) or Allowance(self._most, self._most / 60)
        self._buckets[place] = bucket
        if len(self._buckets) > _MOST:
            del self._buckets[next(iter(self._buckets))]
        if wait := bucket.short_by():
            message = f"Sign-in is limited to {self._most} attempts a minute from one address. Try again later."
            raise RateLimited(message, retry_after=wait)
        bucket.spend()


def _network(address: str) -> str:
    try:
        known = ip_address(address)
    except ValueError:
        return address
    return str(IPv6Network((int(known), 64), strict=False)) if isinstance(known, IPv6Address) else address
