"""psycopg 3: a cursor of our own beside the caller's, so that no row factory and no adapter of theirs matters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from psycopg import AsyncConnection, AsyncCursor, Connection, Cursor
from psycopg.adapt import AdaptersMap
from psycopg.rows import tuple_row
from psycopg.types.string import StrDumper, TextLoader

from jobplane.api.transactions.kinds import closed_refusal


class Lent:
    dialect: Final = "postgresql"

    def __init__(self, conn: Connection[Any]) -> None:
        if conn.closed:
            raise closed_refusal("psycopg.Connection")
        self._conn = conn

    def rows(self, statement: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
        with Cursor(self._conn, row_factory=tuple_row) as cursor:
            _plain(cursor.adapters)
            cursor.execute(statement.encode(), parameters)
            return cursor.fetchall()


class LentAsync:
    dialect: Final = "postgresql"

    def __init__(self, conn: AsyncConnection[Any]) -> None:
        if conn.closed:
            raise closed_refusal("psycopg.AsyncConnection")
        self._conn = conn

    async def rows(self, statement: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
        async with AsyncCursor(self._conn, row_factory=tuple_row) as cursor:
            _plain(cursor.adapters)
            await cursor.execute(statement.encode(), parameters)
            return await cursor.fetchall()


def _plain(adapters: AdaptersMap) -> None:
    """A text is a str, whatever the connection was taught; of this cursor alone."""
    adapters.register_dumper(str, StrDumper)
    adapters.register_loader("text", TextLoader)
