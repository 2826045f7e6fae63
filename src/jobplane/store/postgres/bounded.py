"""Connections of a program: each wait for the server ends by a deadline, and an unanswered connection is closed.

A server behind a pooler does not know how long a statement may take. There the connection cancels the call in the
server at `cancels_at`, and waits for what comes of that until `ends_at`.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Generator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any, Final, Self, TypeVar

import psycopg
from psycopg import AsyncConnection, Connection, waiting
from psycopg.abc import PQGen

from jobplane.store.postgres.calls.call import Call, Rows

T = TypeVar("T")
Row = tuple[Any, ...]

_INTERVAL: Final = 0.1
# A canceled call tells the server to stop, and waits so long for both: the cancel to arrive, and the call to end.
_CANCEL_SECONDS: Final = 1.0


class Unanswered(psycopg.OperationalError):
    """The deadline passed without an answer."""


class Attempts:
    """The attempts of a pool to connect: how many are under way, and the error of the last one, if it failed."""

    def __init__(self) -> None:
        self.error: psycopg.Error | None = None
        self.pending = 0

    @contextmanager
    def note(self) -> Generator[None]:
        self.pending += 1
        try:
            yield
            self.error = None
        except psycopg.Error as error:
            self.error = error
            raise
        finally:
            self.pending -= 1


def expire(waits: PQGen[T], ends_at: float) -> PQGen[T]:
    """The same waits, with Unanswered once the deadline has passed; an answer that has arrived by then counts."""
    try:
        wanted = next(waits)
        while True:
            ready = yield wanted
            wanted = waits.send(ready)
            if monotonic() >= ends_at:
                raise Unanswered("the deadline passed without an answer")
    except StopIteration as answered:
        return answered.value


class BoundedConnection(Connection[Row]):
    """A blocking connection whose calls end at `ends_at`; `used_at` is when it last answered."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.cancels_at = math.inf
        self.ends_at = math.inf
        self.used_at = monotonic()

    @classmethod
    def connect(cls, conninfo: str = "", *, attempts: Any = None, **kwargs: Any) -> Self:
        """`attempts` are the Attempts of a pool, which learn how this one ends."""
        noted: Attempts = attempts or Attempts()
        with noted.note():
            return super().connect(conninfo, **kwargs)

    def wait(self, gen: PQGen[T], interval: float = _INTERVAL, timeout: float | None = None) -> T:
        limit = {} if timeout is None else {"timeout": timeout}  # a driver before 3.3.6 gives none and takes none
        try:
            answer = self._wait(gen, interval, limit)
        except Unanswered:
            self.pgconn.finish()
            raise
        except BaseException as error:
            if not isinstance(error, Exception):  # Ctrl-C
                self._give_up(gen)
            raise
        self.used_at = monotonic()
        return answer

    def rows(self, call: Call[Any], ends_at: float, cancels_at: float = math.inf) -> Rows:
        self.ends_at, self.cancels_at = ends_at, cancels_at
        cursor = self.execute(call.statement, call.parameters, binary=call.binary)
        return cursor.fetchall() if cursor.pgresult and cursor.pgresult.nfields else []

    def answers(self, ends_at: float) -> bool:
        """Whether the server is there; if not, the connection is closed."""
        self.ends_at, self.cancels_at = ends_at, math.inf
        try:
            self.execute("")
        except psycopg.Error:
            self.pgconn.finish()
            return False
        return True

    def _wait(self, gen: PQGen[T], interval: float, limit: dict[str, float]) -> T:
        if self.cancels_at < self.ends_at:
            try:
                return waiting.wait(expire(gen, self.cancels_at), self.pgconn.socket, interval, **limit)
            except Unanswered:
                self._cancel(self.ends_at - monotonic())
        return waiting.wait(expire(gen, self.ends_at), self.pgconn.socket, interval, **limit)

    def _give_up(self, gen: PQGen[Any]) -> None:
        """Cancel the call in the server. A server that does not answer that in time loses the connection."""
        try:
            self._cancel(_CANCEL_SECONDS)
            waiting.wait(expire(gen, monotonic() + _CANCEL_SECONDS), self.pgconn.socket, _INTERVAL)
        except psycopg.errors.QueryCanceled:
            return
        except (psycopg.Error, KeyboardInterrupt):
            self.pgconn.finish()

    def _cancel(self, seconds: float) -> None:
        with suppress(psycopg.Error):
            self.cancel_safe(timeout=max(_INTERVAL, seconds))


class BoundedAsyncConnection(AsyncConnection[Row]):
    """The same on an event loop."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.cancels_at = math.inf
        self.ends_at = math.inf
        self.used_at = monotonic()

    @classmethod
    async def connect(cls, conninfo: str = "", *, attempts: Any = None, **kwargs: Any) -> Self:
        """`attempts` are the Attempts of a pool, which learn how this one ends."""
        noted: Attempts = attempts or Attempts()
        with noted.note():
            return await super().connect(conninfo, **kwargs)

    async def wait(self, gen: PQGen[T], interval: float = _INTERVAL, timeout: float | None = None) -> T:  # noqa: ASYNC109
        limit = {} if timeout is None else {"timeout": timeout}
        try:
            answer = await self._wait(gen, interval, limit)
        except Unanswered:
            self.pgconn.finish()
            raise
        except asyncio.CancelledError:
            await self._give_up(gen)
            raise
        self.used_at = monotonic()
        return answer

    async def rows(self, call: Call[Any], ends_at: float, cancels_at: float = math.inf) -> Rows:
        self.ends_at, self.cancels_at = ends_at, cancels_at
        cursor = await self.execute(call.statement, call.parameters, binary=call.binary)
        return await cursor.fetchall() if cursor.pgresult and cursor.pgresult.nfields else []

    async def answers(self, ends_at: float) -> bool:
        """Whether the server is there; if not, the connection is closed."""
        self.ends_at, self.cancels_at = ends_at, math.inf
        try:
            await self.execute("")
        except psycopg.Error:
            self.pgconn.finish()
            return False
        return True

    async def _wait(self, gen: PQGen[T], interval: float, limit: dict[str, float]) -> T:
        if self.cancels_at < self.ends_at:
            try:
                return await waiting.wait_async(expire(gen, self.cancels_at), self.pgconn.socket, interval, **limit)
            except Unanswered:
                await self._cancel(self.ends_at - monotonic())
        return await waiting.wait_async(expire(gen, self.ends_at), self.pgconn.socket, interval, **limit)

    async def _give_up(self, gen: PQGen[Any]) -> None:
        """Cancel the call in the server. A server that does not answer that in time loses the connection."""
        try:
            await self._cancel(_CANCEL_SECONDS)
            await waiting.wait_async(expire(gen, monotonic() + _CANCEL_SECONDS), self.pgconn.socket, _INTERVAL)
        except psycopg.errors.QueryCanceled:
            return
        except (psycopg.Error, asyncio.CancelledError):
            self.pgconn.finish()

    async def _cancel(self, seconds: float) -> None:
        with suppress(psycopg.Error, TimeoutError):
            async with asyncio.timeout(max(_INTERVAL, seconds)):
                await self.cancel_safe(timeout=max(_INTERVAL, seconds))
