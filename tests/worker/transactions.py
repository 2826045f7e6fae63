"""How many transactions there are in a database, as the server counts them."""

from __future__ import annotations

import time
from typing import Final

import psycopg

from tests.database import Database

_COUNTED: Final = "select xact_commit + xact_rollback from pg_stat_database where datname = %s"


def transactions_a_second(db: Database, seconds: float) -> float:
    """Counted from another database. A session reports what it has done within a second, or after ten if it is idle."""
    with psycopg.connect(db.url("owner", direct=True), dbname="postgres", autocommit=True) as conn:
        before, began = _count(conn, db.name), time.monotonic()
        time.sleep(seconds)
        return (_count(conn, db.name) - before) / (time.monotonic() - began)


def _count(conn: psycopg.Connection, name: str) -> int:
    [(count,)] = conn.execute(_COUNTED, [name]).fetchall()
    return count
