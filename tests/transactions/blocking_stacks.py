"""Every blocking stack for real: what an application would lend, and its own ways to execute, commit and roll back."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Final

import psycopg
import psycopg2
import sqlalchemy
from django.db import connection as django_connection
from sqlalchemy.orm import Session, scoped_session, sessionmaker

from tests.database import Database
from tests.transactions.site import atomic, serve, set_rollback

Rows = list[tuple[Any, ...]]


@dataclass
class Stack:
    """A transaction that is open; `conn` is what its application lends."""

    conn: object
    execute: Callable[[str], Rows]
    commit: Callable[[], object]
    rollback: Callable[[], object]
    savepoint: Callable[[], AbstractContextManager[object]]


def app_url(db: Database, driver: str = "") -> str:
    """Past the pooler: an application's own connection, as the login that it has."""
    return db.url("app", direct=True).replace("postgresql:", f"postgresql{driver}:")


@contextmanager
def psycopg_connection(db: Database) -> Generator[Stack]:
    with psycopg.connect(app_url(db)) as conn:
        yield Stack(conn, _executor(conn.cursor), conn.commit, conn.rollback, conn.transaction)


@contextmanager
def psycopg_cursor(db: Database) -> Generator[Stack]:
    with psycopg.connect(app_url(db)) as conn, conn.cursor() as cursor:
        yield Stack(cursor, _executor(lambda: cursor), conn.commit, conn.rollback, conn.transaction)


@contextmanager
def psycopg2_connection(db: Database) -> Generator[Stack]:
    conn = psycopg2.connect(app_url(db))
    try:
        execute = _executor(conn.cursor)
        yield Stack(conn, execute, conn.commit, conn.rollback, lambda: _by_hand(execute))
    finally:
        conn.close()


def session(driver: str) -> Callable[[Database], AbstractContextManager[Stack]]:
    @contextmanager
    def opened(db: Database) -> Generator[Stack]:
        with _engine(db, driver) as engine, Session(engine) as session:
            execute = _sql(session.execute)
            yield Stack(session, execute, session.commit, session.rollback, session.begin_nested)

    return opened


@contextmanager
def scoped(db: Database) -> Generator[Stack]:
    with _engine(db, "+psycopg") as engine:
        registry = scoped_session(sessionmaker(engine))
        execute = _sql(registry.execute)
        yield Stack(registry, execute, registry.commit, registry.rollback, registry.begin_nested)
        registry.remove()


def core(driver: str) -> Callable[[Database], AbstractContextManager[Stack]]:
    @contextmanager
    def opened(db: Database) -> Generator[Stack]:
        with _engine(db, driver) as engine, engine.connect() as conn:
            yield Stack(conn, _sql(conn.execute), conn.commit, conn.rollback, conn.begin_nested)

    return opened


def django(conn: object) -> Callable[[Database], AbstractContextManager[Stack]]:
    @contextmanager
    def opened(db: Database) -> Generator[Stack]:
        with serve(app_url(db)):
            block = atomic()
            block.__enter__()

            def rollback() -> None:
                set_rollback(True)
                block.__exit__(None, None, None)

            def commit() -> None:
                block.__exit__(None, None, None)

            yield Stack(conn, _executor(django_connection.cursor), commit, rollback, atomic)

    return opened


def _executor(cursor: Callable[[], Any]) -> Callable[[str], Rows]:
    def execute(statement: str) -> Rows:
        found = cursor()
        found.execute(statement)
        return [tuple(row) for row in found.fetchall()] if found.description else []

    return execute


def _sql(run: Callable[[Any], Any]) -> Callable[[str], Rows]:
    def execute(statement: str) -> Rows:
        result = run(sqlalchemy.text(statement))
        return [tuple(row) for row in result.all()] if result.returns_rows else []

    return execute


@contextmanager
def _engine(db: Database, driver: str) -> Generator[sqlalchemy.Engine]:
    engine = sqlalchemy.create_engine(app_url(db, driver), poolclass=sqlalchemy.NullPool)
    yield engine
    engine.dispose()


@contextmanager
def _by_hand(execute: Callable[[str], Rows]) -> Generator[None]:
    execute("savepoint mine")
    try:
        yield
    except BaseException:
        execute("rollback to savepoint mine")
        raise
    execute("release savepoint mine")


STACKS: Final[dict[str, Callable[[Database], AbstractContextManager[Stack]]]] = {
    "psycopg": psycopg_connection,
    "psycopg-cursor": psycopg_cursor,
    "psycopg2": psycopg2_connection,
    "session-psycopg": session("+psycopg"),
    "session-psycopg2": session("+psycopg2"),
    "scoped-session": scoped,
    "connection-psycopg": core("+psycopg"),
    "connection-psycopg2": core("+psycopg2"),
    "django": django(django_connection),
    "django-alias": django("default"),
}
