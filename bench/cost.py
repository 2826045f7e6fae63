"""cost: what one job leaves behind at each verb: WAL, bytes of tables and indexes, row versions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import asyncpg

from bench import seed
from bench.facts import PAYLOAD
from bench.hands import BARE, OURS, Hand, Way
from bench.measure import Plan
from bench.produce import BARE as BARE_DOOR
from bench.produce import OURS as OUR_DOOR
from bench.produce import Door
from bench.rig import Database, Rig
from bench.table import Table

BATCH: Final = 500
WAL: Final = "WAL bytes"
SIZES: Final = """select coalesce(sum(pg_total_relation_size(oid)), 0) from pg_class
                   where relnamespace = 'jobplane'::regnamespace and relkind = 'r'"""
VERSIONS: Final = (
    "select relname, n_tup_ins, n_tup_upd, n_tup_del from pg_stat_user_tables where schemaname = 'jobplane'"
)


@dataclass(frozen=True, slots=True)
class Books:
    """Where the counters stand."""

    wal: int
    size: int
    versions: dict[str, tuple[int, int, int]]

    @classmethod
    def read(cls, database: Database) -> Books:
        wal, size = database.run(f"select (pg_current_wal_lsn() - '0/0')::bigint, ({SIZES})::bigint")[0]
        return cls(wal, size, {name: (ins, upd, gone) for name, ins, upd, gone in database.run(VERSIONS)})

    def since(self, before: Books) -> dict[str, float]:
        found = {WAL: float(self.wal - before.wal), "heap and index bytes": float(self.size - before.size)}
        for name, now in self.versions.items():
            for kind, value, old in zip(("inserted", "updated", "deleted"), now, before.versions[name], strict=True):
                if value - old:
                    found[f"{name}: rows {kind}"] = float(value - old)
        return found


async def measure(rig: Rig, plan: Plan) -> list[Table]:
    jobs = plan.pick(50_000, 5_000)
    ways = {"bare": (seed.bare(rig), BARE, BARE_DOOR), "jobplane": (seed.ours(rig), OURS, OUR_DOOR)}
    costs: dict[str, dict[str, dict[str, float]]] = {}
    for name, (template, way, door) in ways.items():
        with rig.fresh(template) as database:
            costs[name] = await _costs(database, way, door, jobs)
    return [_table(verb, costs["bare"][verb], costs["jobplane"][verb], jobs) for verb in costs["bare"]]


def _table(verb: str, bare: dict[str, float], ours: dict[str, float], jobs: int) -> Table:
    """One verb's costs, those of the bare statement first."""
    table = Table(f"cost-{verb}", f"cost of one {verb}, batch {BATCH}", f"bare: {WAL}", "a job")
    for name, found in (("bare", bare), ("jobplane", ours)):
        for what, value in found.items():
            table.add(f"{name}: {what}", value / jobs)
    table.show(with_ratios=False)
    return table


async def _costs(database: Database, way: Way, door: Door, jobs: int) -> dict[str, dict[str, float]]:
    held: list[list[asyncpg.Record]] = []

    async def enqueue() -> None:
        conn = await asyncpg.connect(database.url(door.role), server_settings=dict(door.settings))
        for number in range(jobs // BATCH):
            await conn.fetch(door.many, seed.tenant(number % 100), [PAYLOAD] * BATCH)
        await conn.close()

    async def claim() -> None:
        hand = await Hand.connect(database, way)
        held.extend([await hand.claim(BATCH) for _ in range(jobs // BATCH)])
        await hand.conn.close()

    async def settle() -> None:
        hand = await Hand.connect(database, way)
        for leases in held:
            await hand.settle(leases)
        await hand.conn.close()

    return {
        verb: await _booked(database, work)
        for verb, work in {"enqueue": enqueue, "claim": claim, "settle": settle}.items()
    }


async def _booked(database: Database, work: Callable[[], Awaitable[None]]) -> dict[str, float]:
    before = Books.read(database)
    await work()
    return Books.read(database).since(before)
