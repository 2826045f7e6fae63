"""A verb on a connection that the application lends: the right one, and all of the verb or nothing."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from jobplane.core.errors import Invalid
from jobplane.store.base import Conn
from jobplane.store.sqlite.drivers import Driver
from jobplane.store.sqlite.filesystem import refuse_lent_mount_point, refuse_links


def require_sqlite(conn: Conn, driver: Driver) -> None:
    """A lent connection is sqlite3's; two copies of SQLite in one process would drop each other's locks on the file."""
    dialect = getattr(conn, "dialect", "sqlite")
    if dialect != "sqlite":
        raise Invalid(
            f"The conn is a connection to {dialect}, but the jobs are in a SQLite file. Pass a connection to that file."
        )
    if driver == "apsw":
        raise Invalid("The conn is of the sqlite3 module, but jobplane uses apsw. Open jobplane with sqlite='stdlib'.")


def require_file(conn: Conn, path: Path) -> None:
    """Refuse a connection to another file, which no worker looks at, or to a second name of the file."""
    [found] = [row[2] for row in conn.rows("pragma database_list", ()) if row[1] == "main"]
    if not found or not path.exists() or not path.samefile(found):
        where = found or "a database in memory"
        raise Invalid(f"The conn is open on {where}, but the jobs are in {path}. Pass a connection to that file.")
    refuse_links(Path(found))
    refuse_lent_mount_point(Path(found))


@contextmanager
def run_all_or_nothing(conn: Conn) -> Generator[None]:
    """A caller who catches the error and commits must not commit half a verb."""
    conn.rows("savepoint jobplane", ())
    try:
        yield
    except BaseException:
        # What was refused may have been rolled back by SQLite itself, as on a full disk.
        with suppress(Exception):
            conn.rows("rollback to jobplane", ())
            conn.rows("release jobplane", ())
        raise
    conn.rows("release jobplane", ())
