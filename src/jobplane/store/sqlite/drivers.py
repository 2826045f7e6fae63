"""Two ways to open the same file: apsw, or the standard library's module for a process that uses it already.

Two copies of SQLite in one process would break each other's locks on the file, so a process takes one of them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from jobplane.core.errors import StoreUnavailable
from jobplane.store.base import Driver

Rows = list[tuple[Any, ...]]
_STATEMENTS: Final = 256  # kept prepared; the store has fewer


class Link(Protocol):
    """One open connection; it commits what it is told to and nothing by itself."""

    def rows(self, statement: str, parameters: Sequence[object] = ()) -> Rows: ...

    def in_transaction(self) -> bool: ...

    def backup(self, target: Path) -> None:
        """A consistent copy into a file that is not there yet, while others write."""
        ...

    def close(self) -> None: ...


def connect(driver: Driver, path: Path) -> Link:
    """Open the file, which is made if it is not there."""
    if driver == "stdlib":
        return StdlibLink(path)
    try:
        import apsw  # noqa: F401  # pyright: ignore[reportUnusedImport] asked for, to say what is missing
    except ImportError:
        raise StoreUnavailable("The SQLite store needs apsw: pip install 'jobplane[sqlite]'.") from None
    return ApswLink(path)


class ApswLink:
    def __init__(self, path: Path) -> None:
        import apsw

        self._conn: Any = apsw.Connection(str(path), statementcachesize=_STATEMENTS)
        # Else a new value may mean a new plan, and SQLite prepares again: 60 µs where the statement takes 8.
        self._conn.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)

    def rows(self, statement: str, parameters: Sequence[object] = ()) -> Rows:
        bound: Any = parameters
        return self._conn.execute(statement, bound).fetchall()

    def in_transaction(self) -> bool:
        return self._conn.in_transaction

    def backup(self, target: Path) -> None:
        import apsw

        copy = apsw.Connection(str(target))
        try:
            with copy.backup("main", self._conn, "main") as backup:
                backup.step(-1)
        finally:
            copy.close()

    def close(self) -> None:
        self._conn.close()


class StdlibLink:
    def __init__(self, path: Path) -> None:
        self._conn = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=_STATEMENTS)

    def rows(self, statement: str, parameters: Sequence[object] = ()) -> Rows:
        bound: Any = parameters
        return self._conn.execute(statement, bound).fetchall()

    def in_transaction(self) -> bool:
        return self._conn.in_transaction

    def backup(self, target: Path) -> None:
        copy = sqlite3.connect(target)
        try:
            self._conn.backup(copy)
        finally:
            copy.close()

    def close(self) -> None:
        self._conn.close()
