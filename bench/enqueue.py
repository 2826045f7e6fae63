"""enqueue: one by one and in bulk, beside bare inserts into the same tables and beside other queues (W1, W2)."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from bench import seed
from bench.measure import Case, Plan, Stand, interleave
from bench.peers import pgqueuer, procrastinate
from bench.produce import BARE, OURS, Door, producing
from bench.rig import Rig
from bench.table import Table

SLICE_SECONDS = 0.25


async def measure(rig: Rig, plan: Plan) -> list[Table]:
    tables = [
        await _beside_peers(rig, plan, "W1", "W1: enqueue one by one, one connection", 1),
        await _beside_peers(rig, plan, "W2", "W2: enqueue in batches of 1000, one connection", 1000),
    ]
    if not plan.quick:
        tables += [
            await _beside_peers(rig, plan, "enqueue-500", "enqueue in batches of 500, one connection", 500),
            await _of_one_tenant(rig, plan, "enqueue-crowd", "enqueue one by one, ten producers of one tenant", 1),
            await _of_one_tenant(
                rig, plan, "enqueue-500-crowd", "enqueue in batches of 500, ten producers of one tenant", 500
            ),
        ]
    return tables


def case(rig: Rig, template: str, door: Door, *, batch: int = 1, producers: int = 1, tenants: int = 100) -> Case:
    @asynccontextmanager
    async def ready() -> AsyncGenerator[Stand]:
        with rig.fresh(template) as database:
            async with producing(
                database, door, SLICE_SECONDS, batch=batch, producers=producers, tenants=tenants
            ) as stand:
                yield stand

    return ready


def _slices(plan: Plan) -> int:
    return plan.pick(10, 3)


async def _beside_peers(rig: Rig, plan: Plan, key: str, title: str, batch: int) -> Table:
    cases = {
        "bare inserts": case(rig, seed.bare(rig), BARE, batch=batch),
        "jobplane": case(rig, seed.ours(rig), OURS, batch=batch),
        "pgqueuer": pgqueuer.case(rig, SLICE_SECONDS, batch),
        "procrastinate": procrastinate.case(rig, SLICE_SECONDS, batch),
    }
    return await interleave(Table(key, title, "bare inserts"), cases, plan, _slices(plan))


async def _of_one_tenant(rig: Rig, plan: Plan, key: str, title: str, batch: int) -> Table:
    cases = {
        "bare inserts": case(rig, seed.bare(rig), BARE, batch=batch, producers=10, tenants=1),
        "jobplane": case(rig, seed.ours(rig), OURS, batch=batch, producers=10, tenants=1),
    }
    return await interleave(Table(key, title, "bare inserts"), cases, plan, _slices(plan))
