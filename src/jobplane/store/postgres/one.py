"""One connection of a worker: every call ends by its deadline, and the next call replaces a lost connection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Final

import psycopg
from psycopg import AsyncConnection, waiting
from psycopg.abc import PQGen

from jobplane.core.errors import JobplaneError, StoreError, StoreUnavailable
from jobplane.store.postgres import startup
from jobplane.store.postgres.calls.call import Answer, Call, Role, Rows, nothing
from jobplane.store.postgres.errors import translate
from jobplane.store.postgres.probe import log
from jobplane.store.postgres.settings import Settings
from jobplane.store.postgres.unreachable import unreachable
from jobplane.store.postgres.wire import Wire

_INTERVAL: Final = 1.0
# The server's own deadlines, said where they are others than for the call before. That of the statement comes before
# ours: a call that the server ends was too long, a server that says nothing is an outage. A call is a transaction.
_SERVERS_PART: Final = 0.9
_TELL: Final = "select set_config('statement_timeout', %s, false)"
_TELL_WHOLE: Final = "select set_config('statement_timeout', %s, false), set_config('transaction_timeout', %s, false)"
_HAS_WHOLE: Final = 170000


class WorkerConnection(AsyncConnection[tuple[Any, ...]]):
    """Closes itself when a call is canceled: asking a silent server to cancel takes seconds."""

    async def wait(self, gen: PQGen[Any], interval: float = _INTERVAL, timeout: float | None = None) -> Any:  # noqa: ASYNC109
        limit = {} if timeout is None else {"timeout": timeout}  # a driver before 3.3.6 gives none and takes none
        try:
            return await waiting.wait_async(gen, self.pgconn.socket, interval=_INTERVAL, **limit)
        except asyncio.CancelledError:
            self.pgconn.finish()
            raise


class Admission:
    """The start-up check of a login, once for all connections of a worker.

    On the loop and in no thread: who gives up on a server that took the login and says no more leaves nothing behind.
    """

    def __init__(self, settings: Settings, role: Role) -> None:
        self._settings = settings
        self.url = settings.url(role)
        self._lock = asyncio.Lock()
        self._passed = False

    async def ask(self) -> None:
        async with self._lock:
            if not self._passed:
                await self._probe()
                self._passed = True

    async def _probe(self) -> None:
        try:
            conn = await WorkerConnection.connect(self.url, **self._settings.connection())
        except psycopg.OperationalError as error:
            raise unreachable(error) from None
        try:
            for sentence in await startup.check_async(conn, **self._settings.checks()):
                log.warning(sentence)
        finally:
            await conn.close()


class OneConnection:
    """Calls wait for each other, each for its turn and then until its deadline. Nothing is tried again."""

    def __init__(self, settings: Settings, admission: Admission) -> None:
        self._settings = settings
        self._admission = admission
        self._turn = asyncio.Lock()
        self._queue = asyncio.Lock()
        self._wire: Wire | None = None
        self._told = 0.0

    async def rows(self, call: Call[Answer], deadline: float, *, is_patient: bool = False) -> Rows:
        """The rows of a call. Every error but a refusal of the data counts as a lost connection."""
        try:
            async with self._take_patient_turn() if is_patient else self._turn, asyncio.timeout(deadline):
                return await self._execute(await self._ensure_connected(deadline), call)
        except TimeoutError:
            raise StoreUnavailable(f"The database did not answer within {deadline:g} s.") from None
        except (psycopg.Error, JobplaneError, UnicodeEncodeError):
            raise
        except Exception as error:
            raise StoreUnavailable(
                f"The connection to the database failed: {type(error).__name__}: {error!s:.200}"
            ) from error

    async def close(self) -> None:
        """Let it go; the next call connects again."""
        wire, self._wire = self._wire, None
        if wire is not None:
            await wire.close()

    @asynccontextmanager
    async def _take_patient_turn(self) -> AsyncGenerator[None]:
        """A low-priority lock: at most one low-priority call is ever ahead of a normal one."""
        async with self._queue, self._turn:
            yield

    async def _ensure_connected(self, deadline: float) -> Wire:
        if self._wire is None:
            await self._admission.ask()
            conn = await WorkerConnection.connect(self._admission.url, **self._settings.connection())
            self._wire = Wire(conn, prepares=self._settings.pooler == "none")
            self._told = 0.0
        wire = self._wire
        if deadline != self._told and self._settings.pooler == "none":
            whole, statement = str(round(deadline * 1000)), str(round(deadline * _SERVERS_PART * 1000))
            if wire.server_version >= _HAS_WHOLE:
                await self._execute(wire, Call("worker", _TELL_WHOLE, (statement, whole), nothing))
            else:
                await self._execute(wire, Call("worker", _TELL, (statement,), nothing))
            self._told = deadline
        return wire

    async def _execute(self, wire: Wire, call: Call[Answer]) -> Rows:
        try:
            return await wire.rows(call.statement, call.parameters, binary=call.binary)
        except psycopg.Error as error:
            if wire.is_closed or isinstance(translate(error), StoreError):
                await self.close()
            raise
        except UnicodeEncodeError:
            raise
        except BaseException:
            await self.close()
            raise
