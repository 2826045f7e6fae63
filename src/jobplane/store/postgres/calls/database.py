"""What PostgreSQL says of itself."""

from __future__ import annotations

from functools import cache
from typing import Final

from jobplane.core.database import Connections, DatabaseFacts, TableFacts
from jobplane.store.postgres import source
from jobplane.store.postgres.calls.call import Call, Rows
from jobplane.store.verbs.operator import InspectDatabase

_STATEMENT: Final = (
    "select version, schema_found, database_bytes, connections_used, connections_most, oldest_transaction_seconds,"
    " name, rows_estimate, size_bytes, dead_rows, last_vacuum_at from jobplane.database_facts()"
)
_FACTS: Final = 6


def database_facts(_: InspectDatabase) -> Call[DatabaseFacts]:
    return Call("admin", _STATEMENT, (), _read)


def _read(rows: Rows) -> DatabaseFacts:
    """The first row has no table. Without the right to know the size of the database, that of its tables will do."""
    (version, found, size, used, most, oldest, *_), *others = rows
    tables = [TableFacts(*row[_FACTS:]) for row in others]
    return DatabaseFacts(
        store="postgresql",
        version=version,
        schema_found=found,
        schema_wanted=_wanted(),
        size_bytes=sum(table.size_bytes or 0 for table in tables) if size is None else size,
        connections=Connections(used, most),
        oldest_transaction_seconds=oldest,
        tables=tables,
    )


@cache
def _wanted() -> int:
    """The number of the newest migration of this program."""
    return source.load().number
