"""The closing table: each target, what was measured, and whether it holds."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bench import pages
from bench.table import Table


@dataclass(frozen=True, slots=True)
class Target:
    """A case of a table against its base, or against the best of several."""

    work: str
    table: str
    case: str
    bases: tuple[str, ...]
    bound: float
    ceiling: bool = False

    def measured(self, tables: Mapping[str, Table]) -> bool:
        return self.table in tables and {self.case, *self.bases} <= set(tables[self.table].readings)

    def ratios(self, table: Table) -> list[float]:
        """One for each round, against the base that is best in it."""
        mine, others = table.readings[self.case], zip(*(table.readings[base] for base in self.bases), strict=True)
        best = min if self.ceiling else max
        return [value / best(other) for value, other in zip(mine, others, strict=True)]

    def line(self, table: Table) -> str:
        ratios = self.ratios(table)
        kept = [ratio <= self.bound if self.ceiling else ratio >= self.bound for ratio in ratios]
        middle = statistics.median(ratios)
        holds = middle <= self.bound if self.ceiling else middle >= self.bound
        verdict = ("holds" if holds else "FALLS SHORT") + ("" if len(set(kept)) == 1 else ", rounds disagree")
        wanted = f"{'at most' if self.ceiling else 'at least'} {self.bound:.2f}"
        return f"  {self.work:<62} {wanted:<14} {middle:5.2f}  {self._cpu(table):>6}  {verdict}"

    def _cpu(self, table: Table) -> str:
        """The same ratio by the server's CPU time, which a busy machine does not move."""
        if self.case not in table.cpu:
            return ""
        best = min(statistics.median(table.cpu[base]) for base in self.bases)
        return f"{best / statistics.median(table.cpu[self.case]):.2f}"


PEERS: Final = ("pgqueuer", "procrastinate")
ALL_PEERS: Final = ("pg-boss", "graphile-worker", *PEERS)
TARGETS: Final = (
    Target("W1: enqueue one by one, of the best peer", "W1", "jobplane", PEERS, 1.0),
    Target("W2: enqueue in bulk, validated, of the best peer", "W2", "jobplane", PEERS, 1.2),
    Target("claim + settle, batch 500, of bare statements", "store-500", "jobplane", ("bare statements",), 0.8),
    Target("growth: many queued, of 10k", "growth", "many queued", ("10k queued",), 0.9),
    Target("growth: many in the future", "growth", "10k queued, many in the future", ("10k queued",), 0.9),
    Target("growth: many finished", "growth", "10k queued, many finished", ("10k queued",), 0.9),
    Target("growth: 10,000 tenants, of 1", "growth", "10k queued, 10,000 tenants", ("10k queued, 1 tenant",), 0.9),
    Target("skewed backlog, of the order of arrival", "skewed", "fair", ("in the order of arrival",), 0.85),
    Target("skewed: the small ones out, of their share", "small-tenants", "fair", ("their share",), 2.0, ceiling=True),
    Target("sustained: last tenth, of the first", "sustained", "the last tenth", ("the first tenth",), 0.8),
    Target(
        "sustained, a snapshot held: last tenth, of a free first",
        "sustained",
        "the last tenth, a snapshot held throughout",
        ("the first tenth",),
        0.5,
    ),
    Target("limits: one key each, 100 keys", "limits", "every job one key, 100 keys", ("no limit",), 0.7),
    Target("limits: one key for all", "limits", "every job one key, the same for all", ("no limit",), 0.7),
    Target("limits: two keys each", "limits", "every job two keys", ("no limit",), 0.6),
    Target("limits: all binding", "limits", "every job one key, 3 slots each: all binding", ("no limit",), 0.3),
    Target("limits: 100k rows behind a pause", "limits", "100k rows behind a pause", ("no limit",), 0.8),
    Target("W3: one worker, of pg-boss", "W3-1", "jobplane", ("pg-boss",), 1.0),
    Target("W3: one worker, of pgqueuer", "W3-1", "jobplane", ("pgqueuer",), 2.0),
    Target("W3: two workers, of pg-boss", "W3-2", "jobplane", ("pg-boss",), 1.2),
    Target("W3: two workers, of pgqueuer", "W3-2", "jobplane", ("pgqueuer",), 2.0),
    Target("W3: two workers, of graphile-worker", "W3-2", "jobplane", ("graphile-worker",), 1.0),
    Target(
        "W4: commit to start, p50, of graphile-worker", "W4-p50", "jobplane", ("graphile-worker",), 1.2, ceiling=True
    ),
    Target("W4: commit to start, p95, of the best peer", "W4-p95", "jobplane", ALL_PEERS, 1.0, ceiling=True),
    Target("W4: commit to start, p99, of the best peer", "W4-p99", "jobplane", ALL_PEERS, 1.0, ceiling=True),
    Target("memory: supervisor, 1,000 in flight", "memory", "supervisor", ("120 MB",), 1.0, ceiling=True),
    Target("memory: executor", "memory", "executor, above its application", ("40 MB",), 1.0, ceiling=True),
    Target("SQLite: enqueue one by one, of huey", "sqlite-1", "jobplane", ("huey",), 1.0),
    Target("SQLite: drain, of huey", "sqlite-drain", "jobplane", ("huey",), 4.0),
    *(
        Target(
            f"pages: {page}, {who}, p95, of 10k jobs",
            "pages p95",
            pages.case(page, who, pages.MANY),
            (pages.case(page, who, pages.FEW),),
            1.5,
            ceiling=True,
        )
        for who in pages.PEOPLE
        for page in pages.PAGES
    ),
)


def show(tables: list[Table], *, quick: bool) -> None:
    """Print a line for each target whose table was measured."""
    found = {table.key: table for table in tables}
    lines = [target.line(found[target.table]) for target in TARGETS if target.measured(found)]
    if not lines:
        return
    print(f"\ntargets{': a quick look, sizes too small to judge by' if quick else ''}")
    print(f"  {'':<62} {'target':<14} ratio  by CPU")
    print("\n".join(lines), flush=True)
