"""Two ways to open the same file: apsw, or the standard library's module for a process that uses it already.

Two copies of SQLite in one process would break each other's locks on the file, so a process takes one of them.

SQLite keeps any bytes as a text, and both drivers raise where these are not UTF-8. Such a statement runs a second time,
and the texts that cannot be decoded come as `bytes`. Only a select gets there: a write returns nothing but numbers and
texts that were given to it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from jobplane.core import decoding
from jobplane.core.errors import StoreUnavailable
from jobplane.store.base import Driver

Rows = list[tuple[Any, ...]]
_STATEMENTS: Final = 256  # kept prepared; the store has fewer
_NOT_UTF8: Final = "Could not decode to UTF-8"


class Link(Protocol):
    """One open connection; it commits only when it is told to."""

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


def _raw(statement: str, columns: int) -> str:
    """The statement with its texts as blobs."""
    names = [f"c{number}" for number in range(columns)]
    values = ", ".join(f"case typeof({name}) when 'text' then cast({name} as blob) else {name} end" for name in names)
    return f"with found ({', '.join(names)}) as ({statement}) select {values} from found"  # noqa: S608 our own


def _decode(value: object) -> object:
    return decoding.text_or_bytes(value) if isinstance(value, bytes) else value


class ApswLink:
    def __init__(self, path: Path) -> None:
        import apsw

        self._conn: Any = apsw.Connection(str(path), statementcachesize=_STATEMENTS)
        # Else a new value may mean a new plan, and SQLite prepares again: 60 µs where the statement takes 8.
        self._conn.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)

    def rows(self, statement: str, parameters: Sequence[object] = ()) -> Rows:
        bound: Any = parameters
        try:
            return self._conn.execute(statement, bound).fetchall()
        except UnicodeDecodeError:
            return self._read_undecoded(statement, bound)

    def _read_undecoded(self, statement: str, bound: Any) -> Rows:
        """The same rows, decoded here: apsw has no other way to a text."""
        cursor = self._conn.cursor()
        cursor.execute(statement, bound)
        raw = _raw(statement, len(cursor.get_description()))
        cursor.close()
        return [tuple(map(_decode, row)) for row in self._conn.execute(raw, bound)]

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
        try:
            return self._conn.execute(statement, bound).fetchall()
        except sqlite3.OperationalError as error:
            if not str(error).startswith(_NOT_UTF8):
                raise
        self._conn.text_factory = decoding.text_or_bytes
        try:
            return self._conn.execute(statement, bound).fetchall()
        finally:
            self._conn.text_factory = str

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
