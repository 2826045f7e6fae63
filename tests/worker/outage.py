"""A database that lets nobody in."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from tests.database import Database


@contextmanager
def shut_out(db: Database) -> Generator[None]:
    """End all connections, and refuse new ones until the block ends."""
    _allow(db, "false")
    try:
        with db.cluster.admin() as admin, admin.transaction():
            admin.execute("set local role pg_signal_backend")
            admin.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", [db.name])
        yield
    finally:
        _allow(db, "true")


def _allow(db: Database, word: str) -> None:
    with db.cluster.admin() as admin:
        admin.execute(f"alter database {db.name} allow_connections {word}".encode())
