"""What a store says of the database that it lives in."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal


@dataclass(frozen=True, slots=True)
class TableFacts:
    """A table of jobplane; on SQLite `rows_estimate` is a count up to 1,000,000, and the others are not known."""

    name: str
    rows_estimate: int
    size_bytes: int | None = None
    dead_rows: int | None = None
    last_vacuum_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Connections:
    """Connections to the whole server, and the most that it takes."""

    used: int
    most: int


@dataclass(frozen=True, slots=True)
class Journal:
    """How a SQLite file is journaled, and how large the write-ahead log is."""

    mode: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseFacts:
    """The database of an installation. `connections` is None on SQLite, `journal` on PostgreSQL.

    `oldest_transaction_seconds` is None where the database does not tell: PostgreSQL hides it from roles without
    pg_read_all_stats.
    """

    store: Literal["postgresql", "sqlite"]
    version: str
    schema_found: int
    schema_wanted: int
    size_bytes: int
    connections: Connections | None = None
    oldest_transaction_seconds: float | None = None
    tables: list[TableFacts] = field(default_factory=list[TableFacts])
    journal: Journal | None = None
