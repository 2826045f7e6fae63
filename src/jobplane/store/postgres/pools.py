"""The pools of a program: a call gets a connection that answers, and ends by one deadline for all of it."""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from time import monotonic
from typing import Any, Final, Protocol

from psycopg_pool import AsyncConnectionPool, ConnectionPool, PoolTimeout

from jobplane.core.errors import StoreUnavailable
from jobplane.store.postgres.bounded import Attempts, BoundedAsyncConnection, BoundedConnection, Unanswered
from jobplane.store.postgres.calls.call import Call, Rows
from jobplane.store.postgres.errors import unanswered
from jobplane.store.postgres.probe import not_sent
from jobplane.store.postgres.settings import SERVERS_LEAD_SECONDS, Settings
from jobplane.store.postgres.unreachable import unreachable

# A connection that was used a moment ago is not asked again whether it is there: that is a round trip.
_MOMENT_SECONDS: Final = 1.0
_ASK_SECONDS: Final = 2.0
# The pool pauses 1, 2, 4… s between its attempts, and gives up after this long. The next call then tries at once.
_RECONNECT_SECONDS: Final = 5.0


class Queue(Protocol):
    async def get(self) -> Any: ...


class Tasks:
    """The queue of a pool's worker, which ends the worker once it was canceled.

    The pool swallows a cancel that comes while it connects, and `asyncio.run` would then wait for it for ever.
    """

    def __init__(self, queue: Queue) -> None:
        self._queue = queue

    async def get(self) -> Any:
        worker = asyncio.current_task()
        if worker is not None and worker.cancelling():
            raise asyncio.CancelledError
        return await self._queue.get()


class Bounds:
    """What both kinds of pools know: how long a call may take, and why there is no connection."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.attempts = Attempts()
        # How long before its deadline a call is canceled in the server, if the server does not do so itself.
        self.lead_seconds = SERVERS_LEAD_SECONDS if settings.options is None else -math.inf
        self.silent_at = 0.0  # when an idle connection was found not to answer

    def options(self) -> dict[str, Any]:
        """Keyword arguments of a pool."""
        settings = self.settings
        return {
            "kwargs": {**settings.connection(), "attempts": self.attempts},
            "min_size": min(settings.min_connections, settings.max_connections),
            "max_size": settings.max_connections,
            "max_idle": settings.idle_seconds,
            "timeout": settings.timeout_seconds,
            "reconnect_timeout": _RECONNECT_SECONDS,
        }

    def patience(self, ends_at: float) -> float:
        """Seconds to wait for a connection."""
        return max(0.001, min(self.settings.timeout_seconds, ends_at - monotonic()))

    def is_fresh(self, conn: BoundedConnection | BoundedAsyncConnection) -> bool:
        return monotonic() - conn.used_at < _MOMENT_SECONDS

    def is_suspect(self, conn: BoundedConnection | BoundedAsyncConnection) -> bool:
        """Whether it was idle already when another one was found not to answer: it is not asked."""
        return conn.used_at < self.silent_at

    def refusal(self, seconds: float) -> StoreUnavailable:
        """Why no connection was free within that time. Nothing was sent."""
        if self.attempts.error is not None:
            return StoreUnavailable(unreachable(self.attempts.error).message, outcome="not_sent")
        if self.attempts.pending:
            return not_sent(seconds)
        size = self.settings.max_connections
        return StoreUnavailable(
            f"All {size} connections of this program to the database were in use for {seconds:.3g} s. The call was not"
            " sent. Either the database is slow or silent, or the program makes too many calls at a time: then make"
            " fewer, or raise database_connections_max.",
            outcome="not_sent",
        )


def ask_until(ends_at: float) -> float:
    """Half of the time at most, so that some is left for another connection."""
    now = monotonic()
    return now + min(_ASK_SECONDS, (ends_at - now) / 2)


class BlockingPool(ConnectionPool[BoundedConnection]):
    def __init__(self, url: str, settings: Settings) -> None:
        self.bounds = Bounds(settings)
        super().__init__(url, connection_class=BoundedConnection, open=True, **self.bounds.options())

    def __del__(self, is_ending: Callable[[], bool] = sys.is_finalizing) -> None:
        """Its threads end with Python, which does not let them go on: on 3.13 to wait for them then takes 20 s."""
        if not is_ending():
            super().__del__()

    def rows(self, call: Call[Any], ends_at: float) -> Rows:
        """The rows of a call, on a connection that answers; raises Unanswered at the deadline."""
        while True:
            with self._take(ends_at) as conn:
                if self.bounds.is_fresh(conn) or self._is_there(conn, ends_at):
                    return conn.rows(call, ends_at, ends_at - self.bounds.lead_seconds)

    @contextmanager
    def _take(self, ends_at: float) -> Generator[BoundedConnection]:
        patience = self.bounds.patience(ends_at)
        try:
            conn = self.getconn(patience)
        except PoolTimeout:
            raise self.bounds.refusal(patience) from None
        try:
            yield conn
        except Unanswered:
            raise unanswered(self.bounds.settings.deadline_seconds) from None
        finally:
            self.putconn(conn)

    def _is_there(self, conn: BoundedConnection, ends_at: float) -> bool:
        if self.bounds.is_suspect(conn):
            conn.close()
            return False
        if conn.answers(ask_until(ends_at)):
            return True
        self.bounds.silent_at = monotonic()
        return False


class Pool(AsyncConnectionPool[BoundedAsyncConnection]):
    """The same on an event loop."""

    def __init__(self, url: str, settings: Settings) -> None:
        self.bounds = Bounds(settings)
        super().__init__(url, connection_class=BoundedAsyncConnection, open=False, **self.bounds.options())

    @classmethod
    async def worker(cls, q: Any) -> None:
        await super().worker(Tasks(q))  # type: ignore[arg-type]

    async def rows(self, call: Call[Any], ends_at: float) -> Rows:
        while True:
            async with self._take(ends_at) as conn:
                if self.bounds.is_fresh(conn) or await self._is_there(conn, ends_at):
                    return await conn.rows(call, ends_at, ends_at - self.bounds.lead_seconds)

    @asynccontextmanager
    async def _take(self, ends_at: float) -> AsyncGenerator[BoundedAsyncConnection]:
        patience = self.bounds.patience(ends_at)
        try:
            conn = await self.getconn(patience)
        except PoolTimeout:
            raise self.bounds.refusal(patience) from None
        try:
            yield conn
        except Unanswered:
            raise unanswered(self.bounds.settings.deadline_seconds) from None
        finally:
            await self.putconn(conn)

    async def _is_there(self, conn: BoundedAsyncConnection, ends_at: float) -> bool:
        if self.bounds.is_suspect(conn):
            await conn.close()
            return False
        if await conn.answers(ask_until(ends_at)):
            return True
        self.bounds.silent_at = monotonic()
        return False
