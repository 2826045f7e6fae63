"""A loop of a daemon: one step again and again, watched by the health check."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from jobplane.process.contact import Connection, ConnectionLost


class Loop:
    """Repeats a step until it is stopped. A lost connection makes it pause; any other error ends it.

    The process then ends too: a worker that renews leases and no longer settles would keep its jobs for ever.
    """

    def __init__(self, name: str, connection: Connection, step: Callable[[], Awaitable[object]]) -> None:
        self.name = name
        self._connection = connection
        self._step = step
        self._turned_at = time.monotonic()
        self._stopping = False

    @property
    def idle_seconds(self) -> float:
        """The time since its last turn or the last answer in it. Calls end within seconds, also without an answer."""
        return time.monotonic() - max(self._turned_at, self._connection.spoke_at)

    @property
    def is_stopped(self) -> bool:
        return self._stopping

    def stop(self) -> None:
        """No further turn after this one."""
        self._stopping = True

    async def run(self) -> None:
        while not self._stopping:
            self._turned_at = time.monotonic()
            try:
                await self._step()
            except ConnectionLost:
                await self._connection.pause()


class Allowance:
    """A rate limit: up to `most` at once, then `rate` a second."""

    def __init__(self, most: int, rate: float) -> None:
        self._most = most
        self._rate = rate
        self._left = float(most)
        self._counted_at = time.monotonic()

    def spend(self) -> None:
        self._count()
        self._left -= 1

    def short_by(self) -> float:
        """Seconds until one may be spent, 0 if one may be spent now."""
        self._count()
        return max(0.0, 1 - self._left) / self._rate

    @property
    def left(self) -> int:
        """How many may be spent at once."""
        self._count()
        return max(0, int(self._left))

    @property
    def full_in(self) -> float:
        """Seconds until as many as possible may be spent at once."""
        self._count()
        return (self._most - self._left) / self._rate

    def _count(self) -> None:
        now = time.monotonic()
        self._left = min(self._most, self._left + (now - self._counted_at) * self._rate)
        self._counted_at = now


class Signal:
    """A wake-up signal. Any number of calls before the waiter looks wake it once."""

    def __init__(self) -> None:
        self.is_set = False
        self._waiting: list[asyncio.Future[None]] = []

    def set(self) -> None:
        self.is_set = True
        for waiting in self._waiting:
            _wake(waiting)

    async def wait(self, seconds: float) -> bool:
        """Wait until it is set or the time is over. Returns whether it was set, and resets it."""
        if not self.is_set:
            loop = asyncio.get_running_loop()
            waiting = loop.create_future()
            self._waiting.append(waiting)
            timer = loop.call_later(seconds, _wake, waiting)
            try:
                await waiting
            finally:
                timer.cancel()
                self._waiting.remove(waiting)
        found, self.is_set = self.is_set, False
        return found


def _wake(waiting: asyncio.Future[None]) -> None:
    if not waiting.done():
        waiting.set_result(None)
