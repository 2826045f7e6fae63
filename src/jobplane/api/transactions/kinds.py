"""What an object is, told by the names of its classes alone, and what to say of one that cannot be lent."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from jobplane.core.errors import Invalid

SUPPORTED: Final = (
    "psycopg.Connection",
    "psycopg2 connection",
    "SQLAlchemy Session or Connection",
    "a Django connection or alias",
    "sqlite3.Connection",
)
SUPPORTED_ASYNC: Final = (
    "psycopg.AsyncConnection",
    "asyncpg.Connection",
    "SQLAlchemy AsyncSession or AsyncConnection",
    "sqlite3.Connection",
)
_SOURCES: Final = {
    "psycopg_pool.BasePool": "with pool.connection() as conn",
    "psycopg2.AbstractConnectionPool": "conn = pool.getconn()",
    "asyncpg.Pool": "async with pool.acquire() as conn, conn.transaction()",
    "sqlalchemy.Engine": "with engine.begin() as conn",
    "sqlalchemy.AsyncEngine": "async with engine.begin() as conn",
    "sqlalchemy.sessionmaker": "with sessionmaker.begin() as session",
    "sqlalchemy.async_sessionmaker": "async with sessionmaker.begin() as session",
    "django.BaseConnectionHandler": "connections['default']",
}


def kinds_of(conn: object) -> list[str]:
    """The classes of an object as `package.Class`, its own before those it inherits from."""
    return [f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in type(conn).__mro__]


def refusal(conn: object, asynchronous: Container[str]) -> Invalid:
    """Why a blocking call cannot use this."""
    if any(kind in asynchronous for kind in kinds_of(conn)):
        return Invalid(
            f"The conn is asynchronous ({_name(conn)}). Use the async twin of this call, or pass a blocking connection."
        )
    return _unknown_refusal(conn, SUPPORTED)


def refusal_async(conn: object, blocking: Container[str]) -> Invalid:
    """Why a call of the event loop cannot use this."""
    if any(kind in blocking for kind in kinds_of(conn)):
        return Invalid(
            f"The conn is blocking ({_name(conn)}). Use the call without async, in a thread if necessary "
            "(asyncio.to_thread, or sync_to_async with Django), or pass an asynchronous connection."
        )
    return _unknown_refusal(conn, SUPPORTED_ASYNC)


def closed_refusal(name: str) -> Invalid:
    """The error for a closed connection."""
    return Invalid(f"The conn is a closed {name}. Pass it inside its own transaction, before it is closed.")


def _unknown_refusal(conn: object, supported: tuple[str, ...]) -> Invalid:
    for kind in kinds_of(conn):
        if kind in _SOURCES:
            return Invalid(f"{_name(conn)} has no transaction of its own. Pass the connection of `{_SOURCES[kind]}`.")
    if hasattr(conn, "__enter__") or hasattr(conn, "__aenter__"):
        return Invalid(
            f"{_name(conn)} is not a connection. Enter it using `with … as conn`, and pass conn. {_list(supported)}"
        )
    return Invalid(f"{_name(conn)} is not a connection that jobplane knows. {_list(supported)}")


def _list(supported: tuple[str, ...]) -> str:
    return f"Supported: {', '.join(supported)}."


def _name(conn: object) -> str:
    return f"{type(conn).__module__}.{type(conn).__qualname__}"
