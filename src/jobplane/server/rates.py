"""How many requests a second each key may make in this process, and how often an address may sign in.

The headers of an answer tell a client how many requests it has left.
"""

from __future__ import annotations

from ipaddress import IPv6Address, IPv6Network, ip_address
from math import ceil
from typing import Final

from jobplane.control.access import Caller
from jobplane.core.errors import RateLimited
from jobplane.process.loop import Allowance
from jobplane.server.limits import App, Message, Receive, Scope, Send

_SCOPE: Final = "jobplane.rate"  # where a request keeps its headers
_MOST: Final = 10_000  # keys that are remembered


class Rates:
    """A bucket for each key: twice the rate at once, then the rate. 0 means no limit."""

    def __init__(self, per_second: int) -> None:
        self._rate = per_second
        self._buckets: dict[str, Allowance] = {}

    def spend(self, caller: Caller, scope: Scope) -> None:
        """Count one request, given as its ASGI scope; raises RateLimited. The answer tells what is left."""
        if not self._rate or caller.actor is None:
            return
        bucket = self._buckets.get(caller.actor.id)
        if bucket is None:
            if len(self._buckets) >= _MOST:
                self._buckets.clear()
            bucket = self._buckets[caller.actor.id] = Allowance(2 * self._rate, self._rate)
        wait = bucket.short_by()
        if not wait:
            bucket.spend()
        scope[_SCOPE] = self._headers(bucket)
        if wait:
            raise RateLimited(f"This key may make {self._rate} requests a second. Try again later.", retry_after=wait)

    def _headers(self, bucket: Allowance) -> list[tuple[bytes, bytes]]:
        """As draft-ietf-httpapi-ratelimit-headers-10 has them: `t` is the time until the whole quota is there again."""
        policy = f'"key";q={2 * self._rate};w=2'
        left = f'"key";r={bucket.left};t={ceil(bucket.full_in)}'
        return [(b"ratelimit-policy", policy.encode()), (b"ratelimit", left.encode())]


class RateHeaders:
    """Puts what a key has left into the answers of its requests."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start" and _SCOPE in scope:
                message["headers"] = [*message.get("headers", ()), *scope[_SCOPE]]
            await send(message)

        await self._app(scope, receive, tell)


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
