"""Somebody with the database's own shell, who writes into any column what no verb would."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from psycopg import DatabaseError

from jobplane.store.sqlite.errors import DRIVERS
from tests.conformance.backend import Audit, Backend

VICTIM: Final = "victim"  # the tenant whose jobs are spoilt
SPARE: Final = "spare"  # how the names of tenants, queues, definitions and workers begin that are
LONG: Final = '{"n": 1' + "0" * 5000 + "}"  # a number of more digits than Python reads
_DEEP: Final = "[" * 3000 + "]" * 3000
_NAMES: Final = {"tenants": "slug", "queues": "name", "definitions": "key", "workers": "worker_id"}
_ERRORS: Final = (DatabaseError, *DRIVERS)
# The status of an ending is the job's place, and no content: with another one the job is in no state.
_PLACES: Final = {("endings", "status")}


@dataclass(frozen=True)
class Dialect:
    """What a database keeps and Python, or jobplane, cannot read, by the type of the column; and where to find it."""

    garbage: Mapping[str, Sequence[str]]
    forever: str  # a time that Python does not know
    nulls: str  # a list with a null, of texts
    tenant: str
    columns: str  # a query for table, column, type, and whether the column is a part of the primary key


_POSTGRES: Final = Dialect(
    garbage={
        "text": (r"e'\x01\n\t'", "''", "'x/y'", "repeat('x', 100000)"),
        "jsonb": (f"'{LONG}'", "'[1]'", "'null'", "'5'", f"'{_DEEP}'"),
        "timestamp with time zone": ("'infinity'", "'-infinity'", "'20000-01-01'", "'294276-01-01'", "'4000-01-01 BC'"),
        "real": ("'NaN'", "'Infinity'", "'-Infinity'", "-1"),
        "ARRAY": ("'{}'", "'{null}'"),
    },
    forever="'infinity'",
    nulls="'{null}'",
    tenant="tenant_id",
    columns="""
        select c.table_name, c.column_name, c.data_type, c.column_name in (
                 select k.column_name from information_schema.table_constraints p
                   join information_schema.key_column_usage k using (constraint_schema, constraint_name)
                  where p.constraint_type = 'PRIMARY KEY'
                    and p.table_schema = c.table_schema and p.table_name = c.table_name)
          from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
         where c.table_schema = 'jobplane' and t.table_type = 'BASE TABLE' and substr(c.table_name, 1, 5) <> 'logs_'
         order by 1, c.ordinal_position""",
)
_SQLITE: Final = Dialect(
    garbage={
        "TEXT": (
            "cast(x'7b226122ff0a00fe' as text)",
            "'{\"a\":' || char(10) || char(9) || char(0)",
            f"'{LONG}'",
            r"""'{"a":"\ud800"}'""",
            "'[1,null,{}]'",
            "'{\"a\":NaN}'",
            "''",
            f"'{_DEEP}'",
        ),
        "TIME": ("9000000000000000000", "-9000000000000000000"),
        "REAL": ("9e999", "-9e999", "-1.0"),
    },
    forever="9000000000000000000",
    nulls="'[null]'",
    tenant="tenant_no",
    columns="""
        select substr(m.name, 10), c.name,
               case when substr(c.name, -3) = '_at' or c.name in ('at', 'scheduled_for') then 'TIME' else c.type end,
               c.pk > 0
          from sqlite_master m, pragma_table_info(m.name) c
         where m.type = 'table' and substr(m.name, 1, 9) = 'jobplane_' and substr(m.name, 1, 18) <> 'jobplane_log_words'
         order by 1, c.cid""",
)


@dataclass(frozen=True)
class _Column:
    name: str
    kind: str
    is_key: bool


class Vandal:
    def __init__(self, backend: Backend) -> None:
        self._audit: Audit = backend.audit
        self.dialect = _POSTGRES if "rls" in backend.features else _SQLITE

    def write(self, table: str, column: str, value: str, where: str = "true") -> None:
        """Put a value, given as SQL, into a column."""
        self._audit.meddle(f"update jobplane.{table} set {column} = {value} where {where}")

    def forge(self, table: str, column: str, value: str, where: str) -> None:
        """The same where a constraint is in the way: whoever owns the table can drop it."""
        self._audit.unchecked(table, column)
        self.write(table, column, value, where)

    def spoil(self, number: int) -> list[str]:
        """Write garbage into one column of each row; which column, and what, changes with the number of the round.

        What a constraint forbids stays as it is.
        """
        spoilt: list[str] = []
        for at, (table, where, column) in enumerate(self._spots(number)):
            values = self.dialect.garbage[column.kind]
            value = values[(at + number) % len(values)]
            try:
                self.write(table, column.name, value, where)
            except _ERRORS:
                continue
            spoilt.append(f"{table}.{column.name} = {value[:40]}")
        return spoilt

    def _spots(self, number: int) -> Iterator[tuple[str, str, _Column]]:
        tables: dict[str, list[_Column]] = {}
        for table, *column in self._audit.look(self.dialect.columns):
            tables.setdefault(table, []).append(_Column(*column))
        for table, columns in tables.items():
            known = [column for column in columns if column.kind in self.dialect.garbage]
            candidates = [column for column in known if (table, column.name) not in _PLACES]
            rows = self._rows(table, columns) if candidates and table not in ("migrations", "installation") else []
            for at, where in enumerate(rows):
                yield table, where, candidates[(at + number * len(rows)) % len(candidates)]

    def _rows(self, table: str, columns: Sequence[_Column]) -> list[str]:
        """A condition for each row that may be spoilt."""
        keys = [column.name for column in columns if column.is_key]
        names = " || ' and ' || ".join(f"'{key} = ''' || {key} || ''''" for key in keys)
        found = self._audit.look(
            f"select {names} from jobplane.{table} where {self._theirs(table, columns)} order by 1"
        )
        return [row[0] for row in found]

    def _theirs(self, table: str, columns: Sequence[_Column]) -> str:
        tenant = self.dialect.tenant
        victim = f"(select {tenant} from jobplane.tenants where slug = '{VICTIM}')"
        if table in _NAMES:
            return f"substr({_NAMES[table]}, 1, 5) = '{SPARE}'"
        if any(column.name == tenant for column in columns):
            return f"{tenant} = {victim}"
        if any(column.name == "seq" for column in columns):
            return f"seq in (select seq from jobplane.jobs where {tenant} = {victim})"
        return "true"
