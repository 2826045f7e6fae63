"""Statements outside transactions: index builds that block nobody, and what a killed one leaves behind."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Final

import psycopg
from psycopg import sql

from jobplane.store.postgres.link import Connection, connect
from jobplane.store.postgres.patience import Elsewhere, retry, take_turn
from jobplane.store.postgres.script import Outside

_INDEX: Final = """
select i.indisvalid, exists (
  select from pg_locks l
  where l.relation = i.indrelid and l.database = (select oid from pg_database where datname = current_database())
    and l.mode = 'ShareUpdateExclusiveLock' and l.granted and l.pid <> pg_backend_pid())
from pg_index i join pg_class c on c.oid = i.indexrelid
where c.relnamespace = to_regnamespace('jobplane') and c.relname = %s
"""


@contextmanager
def turn(conninfo: str, step: str, seconds: float) -> Generator[None]:
    """Hold the migrators' lock on a connection of its own, idle, without a snapshot that a build would wait for."""
    with connect(conninfo) as guard:

        def begin() -> None:
            guard.execute("begin isolation level read committed; set local idle_in_transaction_session_timeout = 0")
            try:
                take_turn(guard)
            except Elsewhere:
                guard.execute("rollback")
                raise

        retry(step, seconds, begin)
        yield
        guard.execute("rollback")


def run(conn: Connection, statement: Outside) -> None:
    """Run it as the login itself. An index that is there and valid stays, an invalid one is dropped and built again."""
    if statement.index is None:
        conn.execute(statement.sql.encode())
    elif not _stands(conn, statement.index):
        _build(conn, statement.sql, statement.index)


def _stands(conn: Connection, index: str) -> bool:
    match conn.execute(_INDEX, [index]).fetchone():
        case None:
            return False
        case (True, _):
            return True
        case (_, True):
            raise Elsewhere(f"another session is building {index}")
        case _:
            _drop(conn, index)
            return False


def _build(conn: Connection, statement: str, index: str) -> None:
    try:
        conn.execute(statement.encode())
    except psycopg.Error:
        with suppress(psycopg.Error):
            _drop(conn, index)
        raise


def _drop(conn: Connection, index: str) -> None:
    conn.execute(sql.SQL("drop index concurrently if exists jobplane.{}").format(sql.Identifier(index)))
