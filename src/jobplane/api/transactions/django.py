"""Django: a database by its alias or its connection, inside `transaction.atomic()` or in autocommit."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol, cast

from jobplane.api.transactions.sqlite import Lent as LentSqlite
from jobplane.core.errors import Invalid
from jobplane.store.base import Conn


class _Cursor(Protocol):
    def __enter__(self) -> _Cursor: ...
    def __exit__(self, *_: object) -> object: ...
    def execute(self, statement: str, parameters: Sequence[object]) -> object: ...
    def fetchall(self) -> Sequence[Sequence[Any]]: ...


class _Wrapper(Protocol):
    vendor: str
    connection: Any

    def ensure_connection(self) -> None: ...
    def cursor(self) -> _Cursor: ...


class Lent:
    dialect: Final = "postgresql"

    def __init__(self, wrapper: _Wrapper) -> None:
        self._wrapper = wrapper

    def rows(self, statement: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
        with self._wrapper.cursor() as cursor:
            cursor.execute(statement, parameters)
            return [tuple(row) for row in cursor.fetchall()]


def lend_alias(alias: str) -> Conn:
    """One of DATABASES, by its name."""
    if "django" not in sys.modules:
        raise Invalid(
            f'The conn is the text "{alias:.80}", which names a Django database, but Django is not in use here.'
        )
    from django.db import connections
    from django.utils.connection import ConnectionDoesNotExist

    try:
        wrapper = cast("Mapping[str, _Wrapper]", connections)[alias]
    except ConnectionDoesNotExist as error:
        raise Invalid(f'Django has no database "{alias:.80}". Pass one of {", ".join(connections)}.') from error
    return lend_wrapper(wrapper)


def lend_wrapper(wrapper: _Wrapper) -> Conn:
    """`django.db.connection` or one of `django.db.connections`."""
    if wrapper.vendor == "postgresql":
        return Lent(wrapper)
    if wrapper.vendor == "sqlite":
        wrapper.ensure_connection()
        return LentSqlite(wrapper.connection)
    raise Invalid(f"The conn is a Django connection to {wrapper.vendor}. Pass one to the database that has the jobs.")
