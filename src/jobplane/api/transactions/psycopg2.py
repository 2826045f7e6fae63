"""psycopg2: a plain cursor, whatever cursor factory the connection has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from psycopg2 import extensions

from jobplane.api.transactions.kinds import closed_refusal
from jobplane.core.errors import Invalid


class Lent:
    dialect: Final = "postgresql"

    def __init__(self, conn: extensions.connection) -> None:
        if conn.closed:
            raise closed_refusal("psycopg2 connection")
        if conn.async_:
            raise Invalid("The conn is a psycopg2 connection in asynchronous mode. Pass a blocking one.")
        self._conn = conn

    def rows(self, statement: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
        with self._conn.cursor(cursor_factory=extensions.cursor) as cursor:
            # A text is a str, whatever the connection was taught; of this cursor alone.
            extensions.register_type(extensions.UNICODE, cursor)
            cursor.execute(statement, tuple(parameters))
            return cursor.fetchall()
