"""Everything that a database holds, as text."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.database import Database


def dump_postgres(db: Database) -> str:
    """Each row of each table."""
    tables = db.peek("select tablename from pg_tables where schemaname = 'jobplane'")
    return "\n".join(str(row) for (table,) in tables for (row,) in db.peek(f"select t::text from jobplane.{table} t"))


def dump_sqlite(path: Path) -> str:
    """Each row of each table, and what the file has in pages that are free."""
    with closing(sqlite3.connect(path)) as conn:
        tables = [name for (name,) in conn.execute("select name from sqlite_master where type = 'table'")]
        rows = [str(row) for name in tables for row in conn.execute(f'select * from "{name}"')]
    pages = [file.read_bytes().decode("utf-8", "replace") for file in path.parent.glob(f"{path.name}*")]
    return "\n".join([*rows, *pages])
