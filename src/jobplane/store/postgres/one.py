"""One connection of a worker: every call ends by its deadline, and a lost line is made anew by the next call."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import psycopg
from psycopg import AsyncConnection, waiting
from psycopg.abc import PQGen

from jobplane.core.errors import JobplaneError, StoreError, StoreUnavailable
from jobplane.store.postgres.calls.call import Answer, Call, Role, Rows
from jobplane.store.postgres.errors import translate
from jobplane.store.postgres.probe import probe
from jobplane.store.postgres.settings import Settings

_INTERVAL: Final = 1.0


class Line(AsyncConnection[tuple[Any, ...]]):
    """Who gives up on a call gives up its connection: to ask a silent server for a cancel takes seconds."""

    async def wait(self, gen: PQGen[Any], interval: float = _INTERVAL, timeout: float | None = None) -> Any:  # noqa: ASYNC109
        try:
            return await waiting.wait_async(gen, self.pgconn.socket, interval=_INTERVAL, timeout=timeout)
        except asyncio.CancelledError:
            self.pgconn.finish()
            raise


class Admission:
    """The start-up check of a login, once for all connections of a worker."""

    def __init__(self, settings: Settings, role: Role) -> None:
        self._settings = settings
        self._url = settings.url(role)
        self._lock = asyncio.Lock()
        self._passed = False

    async def ask(self) -> None:
        async with self._lock:
            if not self._passed:
                await asyncio.to_thread(probe, self._settings, self._url)
                self._passed = True


class OneConnection:
    """Calls wait for each other, within their deadlines. Nothing is tried again."""

    def __init__(self, settings: Settings, admission: Admission, deadline_seconds: float) -> None:
        self._settings = settings
        self._admission = admission
        self._deadline = deadline_seconds
        self._turn = asyncio.Lock()
        self._conn: Line | None = None

    async def rows(self, call: Call[Answer]) -> Rows:
        """The rows of a call. Which errors mean a lost line is no list: all but a refusal of the data."""
        try:
            async with asyncio.timeout(self._deadline), self._turn:
                return await self._execute(await self._connected(), call)
        except TimeoutError:
            raise StoreUnavailable(f"The database did not answer within {self._deadline:g} s.") from None
        except (psycopg.Error, JobplaneError, UnicodeEncodeError):
            raise
        except Exception as error:
            raise StoreUnavailable(f"The connection to the database failed: {error!r:.200}") from error

    async def close(self) -> None:
        """Let it go; the next call connects again."""
        conn, self._conn = self._conn, None
        if conn is not None:
            await conn.close()

    async def _connected(self) -> Line:
        if self._conn is None:
            await self._admission.ask()
            self._conn = await Line.connect(self._settings.url("worker"), **self._settings.connection())
        return self._conn

    async def _execute(self, conn: Line, call: Call[Answer]) -> Rows:
        try:
            cursor = await conn.execute(call.statement, call.parameters, binary=call.binary)
            return await cursor.fetchall() if cursor.pgresult and cursor.pgresult.nfields else []
        except psycopg.Error as error:
            if conn.closed or isinstance(translate(error), StoreError):
                await self.close()
            raise
        except UnicodeEncodeError:
            raise
        except BaseException:
            await self.close()
            raise
