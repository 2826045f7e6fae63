"""notify: what wake-ups cost the producers, 32 of them, one by one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

import asyncpg

from bench import seed
from bench.enqueue import SLICE_SECONDS
from bench.measure import Case, Plan, Stand, interleave
from bench.produce import OURS, producing
from bench.rig import Database, Rig
from bench.table import Table

PRODUCERS: Final = 32


async def measure(rig: Rig, plan: Plan) -> list[Table]:
    cases = {"no worker waits": _case(rig, waits=False), "an idle worker wants to be woken": _case(rig, waits=True)}
    table = Table("notify", f"notify: enqueue one by one, {PRODUCERS} producers of 100 tenants", "no worker waits")
    return [await interleave(table, cases, plan, plan.pick(10, 3))]


def _case(rig: Rig, *, waits: bool) -> Case:
    @asynccontextmanager
    async def case() -> AsyncGenerator[Stand]:
        with rig.fresh(seed.ours(rig)) as database:
            async with producing(database, OURS, SLICE_SECONDS, producers=PRODUCERS) as stand:
                if not waits:
                    yield stand
                    return
                async with _listening(database):
                    yield stand

    return case


@asynccontextmanager
async def _listening(database: Database) -> AsyncGenerator[None]:
    """A worker that listens, and says again and again that it is idle."""
    conn = await asyncpg.connect(database.url("worker"))
    await conn.add_listener("jobplane_wake", _woken)
    asking = asyncio.create_task(_keep_asking(conn))
    try:
        await asyncio.sleep(0.1)
        yield
    finally:
        asking.cancel()
        conn.terminate()


async def _keep_asking(conn: asyncpg.Connection) -> None:
    while True:
        await conn.execute("select jobplane.want_work('{default}', 60)")
        await asyncio.sleep(1)


def _woken(*_: object) -> None:
    """It has no work to do with it."""
