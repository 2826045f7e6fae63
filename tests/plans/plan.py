"""What a statement did, by EXPLAIN (ANALYZE, BUFFERS): which tables it read, by which index, and how much of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg import sql

from tests.database import Database
from tests.plans.seed import connect
from tests.plans.statements import Setting, Statement

EXPLAIN: Final = "explain (analyze, buffers, timing off, format json) "
_READS_A_TABLE: Final = frozenset(
    {
        "Seq Scan",
        "Sample Scan",
        "Index Scan",
        "Index Only Scan",
        "Bitmap Heap Scan",
        "Bitmap Index Scan",
        "Tid Scan",
        "Tid Range Scan",
    }
)


@dataclass(frozen=True, slots=True)
class Scan:
    """One node that reads a table, over all its loops."""

    kind: str
    table: str
    index: str
    condition: str
    loops: int
    tuples: int
    blocks: int

    @property
    def way(self) -> str:
        """The index; or the kind of scan where there is none."""
        return self.index or self.kind


@dataclass(frozen=True, slots=True)
class Plan:
    root: Mapping[str, Any]
    rows: int

    @property
    def blocks(self) -> int:
        """Pages touched by the whole statement, functions that it calls and triggers included."""
        return _blocks(self.root)

    def scans(self) -> list[Scan]:
        return [_scan(node) for node in _nodes(self.root) if node["Node Type"] in _READS_A_TABLE]

    def sorted_rows(self) -> int:
        """The most rows that went into one sort."""
        sorts = [node for node in _nodes(self.root) if "Sort" in node["Node Type"]]
        return max((_times(child) for node in sorts for child in node["Plans"]), default=0)

    def text(self) -> str:
        """What a failed test shows."""
        return "\n".join(str(scan) for scan in self.scans()) + f"\n{self.blocks} pages, sorted {self.sorted_rows()}"


def explain(db: Database, statement: Statement, setting: Setting, tenant: str, values: Mapping[str, object]) -> Plan:
    """Run a statement as its function would, with a plan that knows no values, and take everything back."""
    with connect(db, setting.role) as conn, conn.transaction(force_rollback=True):
        conn.execute("select set_config('jobplane.tenant_id', %s, true)", [tenant])
        for planner in setting.planner:
            conn.execute(f"set local {planner}".encode())
        conn.execute(f"prepare hot ({', '.join(statement.types)}) as {statement.sql}".encode())
        arguments = sql.SQL(", ").join(sql.Literal(values[name]) for name in statement.parameters)
        return measured(conn, sql.SQL("execute hot ({})").format(arguments))


def measured(conn: psycopg.Connection[tuple[Any, ...]], statement: sql.Composed | sql.SQL) -> Plan:
    """Run one statement under EXPLAIN; where it calls a function, its pages are those of all that the function does."""
    row = conn.execute(sql.SQL(EXPLAIN) + statement).fetchone()
    assert row is not None
    root: Mapping[str, Any] = row[0][0]["Plan"]
    return Plan(root, int(root["Actual Rows"]))


def _nodes(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield node
    for child in node.get("Plans", ()):
        yield from _nodes(child)


def _scan(node: Mapping[str, Any]) -> Scan:
    return Scan(
        kind=node["Node Type"],
        table=node.get("Relation Name", ""),
        index=node.get("Index Name", ""),
        condition=node.get("Index Cond", ""),
        loops=int(node["Actual Loops"]),
        tuples=_times(node),
        blocks=_blocks(node),
    )


def _times(node: Mapping[str, Any]) -> int:
    """Rows that a node looked at: those it gave, and those it threw away, in all its loops."""
    seen = node["Actual Rows"] + node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    return round(seen * node["Actual Loops"])


def _blocks(node: Mapping[str, Any]) -> int:
    return int(node["Shared Hit Blocks"] + node["Shared Read Blocks"])
