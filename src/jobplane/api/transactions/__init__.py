"""The application's own connection, lent for one call: what is enqueued with it commits and rolls back with it.

Whatever it is, it is never committed, rolled back or closed here, and none of its settings is changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from jobplane.api.transactions.kinds import kinds_of, refusal, refusal_async
from jobplane.store.base import AsyncConn, Conn


def lend(conn: object) -> Conn:
    """A blocking connection, session or cursor of any supported stack, or the alias of a Django database."""
    for kind in kinds_of(conn):
        if kind in _BLOCKING:
            return _BLOCKING[kind](conn)
    raise refusal(conn, _ASYNC)


def lend_async(conn: object) -> AsyncConn:
    """A connection, session or cursor of an application with an event loop."""
    for kind in kinds_of(conn):
        if kind in _ASYNC:
            return _ASYNC[kind](conn)
    raise refusal_async(conn, _BLOCKING)


# A stack's module is imported when its own connection comes: it may import the driver, which is loaded then.


def _psycopg(conn: Any) -> Conn:
    from jobplane.api.transactions.psycopg3 import Lent

    return Lent(getattr(conn, "connection", conn))


def _psycopg_async(conn: Any) -> AsyncConn:
    from jobplane.api.transactions.psycopg3 import LentAsync

    return LentAsync(getattr(conn, "connection", conn))


def _psycopg2(conn: Any) -> Conn:
    from jobplane.api.transactions.psycopg2 import Lent

    return Lent(getattr(conn, "connection", conn))


def _asyncpg(conn: Any) -> AsyncConn:
    from jobplane.api.transactions.asyncpg import Lent

    return Lent(conn)


def _sqlalchemy(conn: Any) -> Conn:
    from jobplane.api.transactions.sqlalchemy import lend_connection

    return lend_connection(conn)


def _sqlalchemy_session(session: Any) -> Conn:
    from jobplane.api.transactions.sqlalchemy import lend_session

    return lend_session(session)


def _sqlalchemy_async(conn: Any) -> AsyncConn:
    from jobplane.api.transactions.sqlalchemy import LentAsync

    return LentAsync(conn)


def _sqlalchemy_async_session(session: Any) -> AsyncConn:
    from jobplane.api.transactions.sqlalchemy import LentAsyncSession

    return LentAsyncSession(session)


def _django(conn: Any) -> Conn:
    from jobplane.api.transactions.django import lend_wrapper

    return lend_wrapper(conn)


def _django_alias(alias: str) -> Conn:
    from jobplane.api.transactions.django import lend_alias

    return lend_alias(alias)


def _sqlite(conn: Any) -> Conn:
    from jobplane.api.transactions.sqlite import Lent

    return Lent(conn)


def _sqlite_async(conn: Any) -> AsyncConn:
    from jobplane.api.transactions.sqlite import LentAsync

    return LentAsync(conn)


_BLOCKING: Final[dict[str, Callable[[Any], Conn]]] = {
    "psycopg.Connection": _psycopg,
    "psycopg.Cursor": _psycopg,
    "psycopg2.connection": _psycopg2,
    "psycopg2.cursor": _psycopg2,
    "sqlalchemy.Connection": _sqlalchemy,
    "sqlalchemy.Session": _sqlalchemy_session,
    "sqlalchemy.scoped_session": _sqlalchemy_session,
    "django.BaseDatabaseWrapper": _django,
    "django.ConnectionProxy": _django,
    "builtins.str": _django_alias,
    "sqlite3.Connection": _sqlite,
}
_ASYNC: Final[dict[str, Callable[[Any], AsyncConn]]] = {
    "psycopg.AsyncConnection": _psycopg_async,
    "psycopg.AsyncCursor": _psycopg_async,
    "asyncpg.Connection": _asyncpg,
    "asyncpg.PoolConnectionProxy": _asyncpg,
    "sqlalchemy.AsyncConnection": _sqlalchemy_async,
    "sqlalchemy.AsyncSession": _sqlalchemy_async_session,
    "sqlalchemy.async_scoped_session": _sqlalchemy_async_session,
    "sqlite3.Connection": _sqlite_async,
}
__all__ = ["lend", "lend_async"]
