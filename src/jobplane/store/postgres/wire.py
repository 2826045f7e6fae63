"""The calls of one connection, with nothing between them and the socket but the driver's own C.

A cursor makes a task, a timer and a reader of its own for each wait. On a machine that was idle that is a third of a
millisecond for each call, as long as the server takes for a claim.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, Final

import psycopg
from psycopg import AsyncConnection, errors
from psycopg.adapt import PyFormat, Transformer
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGresult

from jobplane.store.postgres.calls.call import Rows

_ANSWERS: Final = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK)
_KNOWN: Final = (*_ANSWERS, ExecStatus.FATAL_ERROR)


class Wire:
    """One call at a time, as a transaction of its own. Who gives up on a call gives up the connection.

    Parameters go as text and have the types that the statement says. `heard` is told the payload of each notification,
    and `lost` is set as soon as the connection is.
    """

    def __init__(
        self, conn: AsyncConnection[Any], *, prepares: bool, heard: Callable[[str], None] | None = None
    ) -> None:
        self._conn = conn
        self._pgconn = conn.pgconn
        self._prepares = prepares
        self._heard = heard
        self._loop = asyncio.get_running_loop()
        self._socket = self._pgconn.socket
        self._values = Transformer(conn)
        self._names: dict[str, bytes] = {}
        self._answer: asyncio.Future[PGresult] | None = None
        self._result: PGresult | None = None
        self._fault: psycopg.OperationalError | None = None
        self._last_words: str | None = None
        self.lost = asyncio.Event()
        self._is_watched = True
        self._loop.add_reader(self._socket, self._read)
        conn.add_notice_handler(self._on_notice)

    @property
    def is_closed(self) -> bool:
        return self._conn.closed or self._fault is not None

    @property
    def server_version(self) -> int:
        return self._conn.info.server_version

    async def rows(self, statement: str, parameters: tuple[object, ...] = (), *, binary: bool = False) -> Rows:
        """The rows of one statement with `%s` for its parameters; raises what the driver raises."""
        values = self._values.dump_sequence(parameters, [PyFormat.TEXT] * len(parameters))
        name = (self._names.get(statement) or await self._prepare(statement)) if self._prepares else None
        self._check()
        if name is None:
            self._pgconn.send_query_params(_number_placeholders(statement), values, result_format=binary)
        else:
            self._pgconn.send_query_prepared(name, values, result_format=binary)
        return self._load(await self._wait_for_answer())

    async def close(self) -> None:
        self._lose(psycopg.OperationalError("the connection was closed"))
        await self._conn.close()

    async def _prepare(self, statement: str) -> bytes:
        name = b"jobplane_%d" % len(self._names)
        self._check()
        self._pgconn.send_prepare(name, _number_placeholders(statement))
        self._load(await self._wait_for_answer())
        self._names[statement] = name
        return name

    def _check(self) -> None:
        """A connection that was lost while nobody asked is lost for the next one who does."""
        if self._fault is not None:
            raise self._fault

    async def _wait_for_answer(self) -> PGresult:
        self._answer = answer = self._loop.create_future()
        try:
            self._flush()
            return await answer
        except asyncio.CancelledError:
            self._unwatch()
            self._pgconn.finish()  # to ask a silent server for a cancel takes seconds
            raise
        finally:
            self._answer = self._result = None

    def _load(self, result: PGresult) -> Rows:
        if result.status not in _ANSWERS:
            raise errors.error_from_result(result, encoding=self._conn.info.encoding)
        self._values.set_pgresult(result)
        return self._values.load_rows(0, result.ntuples, tuple)

    def _flush(self) -> None:
        """All that the socket takes; the rest when it takes more."""
        if self._pgconn.flush():
            self._loop.add_writer(self._socket, self._write)

    def _write(self) -> None:
        try:
            if not self._pgconn.flush():
                self._loop.remove_writer(self._socket)
        except psycopg.OperationalError as error:
            self._lose(error)

    def _read(self) -> None:
        try:
            self._pgconn.consume_input()
            while self._heard is not None and (notify := self._pgconn.notifies()) is not None:
                self._heard(notify.extra.decode(errors="replace"))
            if self._answer is not None:
                self._collect(self._answer)
            else:
                self._pgconn.is_busy()  # reads what the server says unasked
        except psycopg.OperationalError as error:
            self._lose(error)

    def _collect(self, answer: asyncio.Future[PGresult]) -> None:
        """The last result of a call is followed by none."""
        while not answer.done() and not self._pgconn.is_busy():
            result = self._pgconn.get_result()
            if result is not None:
                if result.status not in _KNOWN:
                    raise psycopg.OperationalError(f"no call is answered by {ExecStatus(result.status).name}")
                self._result = result
            elif self._result is not None:
                answer.set_result(self._result)
            else:
                raise psycopg.OperationalError("the connection was lost before the call was answered")

    def _on_notice(self, notice: errors.Diagnostic) -> None:
        """Why the server is about to close the connection."""
        if notice.severity_nonlocalized == "FATAL":
            self._last_words = notice.message_primary

    def _lose(self, error: psycopg.OperationalError) -> None:
        self._unwatch()
        self._fault = psycopg.OperationalError(self._last_words) if self._last_words else error
        self.lost.set()
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(self._fault)

    def _unwatch(self) -> None:
        """Before the socket is closed: its number may be that of another one at once."""
        if self._is_watched:
            self._is_watched = False
            with suppress(OSError, ValueError):
                self._loop.remove_reader(self._socket)
                self._loop.remove_writer(self._socket)


@cache
def _number_placeholders(statement: str) -> bytes:
    first, *others = statement.split("%s")
    return (first + "".join(f"${place}{part}" for place, part in enumerate(others, 1))).encode()
