"""SQLAlchemy 2: the driver's own statement on the connection of a session, inside the transaction it has begun."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from jobplane.api.transactions.kinds import closed_refusal, kinds_of
from jobplane.api.transactions.placeholders import number_placeholders
from jobplane.api.transactions.sqlite import Lent as LentSqlite
from jobplane.core.errors import Invalid
from jobplane.store.base import Conn

# The answer is one row: a cursor on the server would only cost more.
_OPTIONS: Final = {"stream_results": False}


class _Dialect(Protocol):
    name: str
    paramstyle: str
    driver: str


class _Result(Protocol):
    def all(self) -> Sequence[Sequence[Any]]: ...


class _Pooled(Protocol):
    driver_connection: Any


class _Connection(Protocol):
    closed: bool
    dialect: _Dialect

    @property
    def connection(self) -> _Pooled: ...

    def exec_driver_sql(
        self, statement: str, parameters: tuple[object, ...], execution_options: Mapping[str, object]
    ) -> _Result: ...


class _Session(Protocol):
    def connection(self) -> _Connection: ...


class _AsyncConnection(Protocol):
    closed: bool
    dialect: _Dialect

    async def exec_driver_sql(
        self, statement: str, parameters: tuple[object, ...], execution_options: Mapping[str, object]
    ) -> _Result: ...


class _AsyncSession(Protocol):
    async def connection(self) -> _AsyncConnection: ...


class Lent:
    dialect: Final = "postgresql"

    def __init__(self, conn: _Connection) -> None:
        self._conn = conn

    def rows(self, statement: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
        written = _render(statement, self._conn.dialect)
        return [tuple(row) for row in self._conn.exec_driver_sql(written, tuple(parameters), _OPTIONS).all()]


class LentAsync:
    dialect: Final = "postgresql"

    def __init__(self, conn: _AsyncConnection) -> None:
        if conn.closed:
            raise closed_refusal("SQLAlchemy AsyncConnection")
        self._conn = conn

    async def rows(self, statement: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
        written = _render(statement, self._conn.dialect)
        result = await self._conn.exec_driver_sql(written, tuple(parameters), _OPTIONS)
        return [tuple(row) for row in result.all()]


class LentAsyncSession:
    dialect: Final = "postgresql"

    def __init__(self, session: _AsyncSession) -> None:
        self._session = session

    async def rows(self, statement: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
        return await LentAsync(await self._session.connection()).rows(statement, parameters)


def lend_session(session: _Session) -> Conn:
    """The connection that the session's own statements use; it begins its transaction as they would."""
    try:
        conn = session.connection()
    except Exception as error:
        if "sqlalchemy.InvalidRequestError" in kinds_of(error):
            raise Invalid(f"The conn is a session that cannot be used now: {error}") from error
        raise
    return lend_connection(conn)


def lend_connection(conn: _Connection) -> Conn:
    """On SQLite the driver's own connection, which a session's commit ends as well."""
    if conn.closed:
        raise closed_refusal("SQLAlchemy Connection")
    if conn.dialect.name == "sqlite":
        return LentSqlite(conn.connection.driver_connection)
    return Lent(conn)


def _render(statement: str, dialect: _Dialect) -> str:
    if dialect.name != "postgresql":
        raise Invalid(f"The conn is a connection to {dialect.name}. Pass one to the database that has the jobs.")
    match dialect.paramstyle:
        case "format" | "pyformat":
            return statement
        case "numeric_dollar":
            return number_placeholders(statement)
        case _:
            raise Invalid(f"SQLAlchemy's driver {dialect.driver} is not supported. Use psycopg, psycopg2 or asyncpg.")
