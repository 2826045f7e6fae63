"""asyncpg: the connection itself, or the proxy that a pool hands out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol

from jobplane.api.transactions.kinds import closed_refusal
from jobplane.api.transactions.placeholders import number_placeholders


class _Connection(Protocol):
    def is_closed(self) -> bool: ...
    async def fetch(self, query: str, *parameters: object) -> Sequence[Iterable[Any]]: ...


class Lent:
    dialect: Final = "postgresql"

    def __init__(self, conn: _Connection) -> None:
        if _is_closed(conn):
            raise closed_refusal("asyncpg connection")
        self._conn = conn

    async def rows(self, statement: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in await self._conn.fetch(number_placeholders(statement), *parameters)]


def _is_closed(conn: _Connection) -> bool:
    """A proxy that has gone back to its pool has nothing left that could be asked."""
    return getattr(conn, "_con", conn) is None or conn.is_closed()
