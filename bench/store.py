"""store: claim and settle through the functions, by batch size, beside bare statements and the raw shape."""

from __future__ import annotations

from typing import Final

from bench import bare, seed
from bench.drains import draining, plain
from bench.facts import PAYLOAD
from bench.hands import BARE, RAW
from bench.measure import Case, Plan, interleave
from bench.rig import Database, Rig
from bench.table import Table

# Batch, and jobs of a slice: about half a second each.
BATCHES: Final = ((500, 15_000), (100, 10_000), (10, 2_000), (1, 300))


async def measure(rig: Rig, plan: Plan) -> list[Table]:
    return [await _table(rig, plan, batch, jobs) for batch, jobs in plan.pick(BATCHES, BATCHES[:1])]


async def _table(rig: Rig, plan: Plan, batch: int, jobs: int) -> Table:
    slices, jobs = plan.pick(6, 2), plan.pick(jobs, jobs // 3)
    prepare = plain(jobs, batch, slices)
    cases = {
        "bare statements": draining(rig, seed.bare(rig), prepare, way=BARE, batch=batch, jobs=jobs),
        "jobplane": draining(rig, seed.ours(rig), prepare, batch=batch, jobs=jobs),
        "raw shape": _raw(rig, batch, jobs, slices),
    }
    table = Table(f"store-{batch}", f"claim + settle, batch {batch}, two connections", "bare statements")
    return await interleave(table, cases, plan, slices)


def _raw(rig: Rig, batch: int, jobs: int, slices: int) -> Case:
    def prepare(database: Database) -> None:
        database.own(bare.RAW_SEED.format(payload=PAYLOAD, n=(jobs + 2 * batch) * slices))

    return draining(rig, bare.raw(rig), prepare, way=RAW, batch=batch, jobs=jobs)
