"""The standard library's sqlite3, for jobs that are in the application's own SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from jobplane.api.transactions.kinds import closed_refusal
from jobplane.core import decoding
from jobplane.core.errors import Invalid


class Lent:
    dialect: Final = "sqlite"

    def __init__(self, conn: sqlite3.Connection) -> None:
        if _is_closed(conn):
            raise closed_refusal("sqlite3.Connection")
        self._conn = conn

    def rows(self, statement: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
        _begin(self._conn)
        cursor = self._conn.cursor()
        cursor.row_factory = None
        with _plain_texts(self._conn):
            # Typed for what sqlite3 can bind, which is the store's business.
            cursor.execute(statement, tuple[Any, ...](parameters))
            return cursor.fetchall()


class LentAsync:
    """The same in the thread of the event loop, to which the connection belongs; sqlite3 has no other way."""

    dialect: Final = "sqlite"

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._lent = Lent(conn)

    async def rows(self, statement: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
        return self._lent.rows(statement, parameters)


def _begin(conn: sqlite3.Connection) -> None:
    """Where sqlite3 would begin a transaction at the next write, begin it now, as a writer: it cannot be refused later.

    sqlite3 itself would miss a write that starts with WITH, and commit it at once.
    """
    if conn.in_transaction:
        return
    if conn.isolation_level is None or getattr(conn, "autocommit", -1) is True:
        raise Invalid(
            "The conn has no open transaction and would commit each statement. Execute BEGIN IMMEDIATE first."
        )
    conn.execute("BEGIN IMMEDIATE")


@contextmanager
def _plain_texts(conn: sqlite3.Connection) -> Generator[None]:
    """A text is a str for this statement, or bytes if it is not UTF-8. A cursor has no text factory of its own."""
    before = conn.text_factory
    conn.text_factory = decoding.text_or_bytes
    try:
        yield
    finally:
        conn.text_factory = before


def _is_closed(conn: sqlite3.Connection) -> bool:
    try:
        return conn.total_changes < 0
    except sqlite3.ProgrammingError as error:
        return "closed" in str(error)
