"""sustained: a million jobs through with a producer running: the last tenth beside a first one, at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final

import asyncpg

from bench import seed
from bench.drains import Crew, crew
from bench.hands import PAUSE_SECONDS, Drain
from bench.measure import Case, Plan, Span, Stand, interleave
from bench.produce import OURS, Producer
from bench.rig import Database, Rig
from bench.snapshot import snapshot
from bench.table import Table

BASE: Final = "the first tenth"
BATCH: Final = 500
BACKLOG: Final = 10_000
SLICES: Final = 5


async def measure(rig: Rig, plan: Plan) -> list[Table]:
    tenth = plan.pick(100_000, 5_000)
    cases = {
        BASE: _case(rig, 0, tenth),
        "the last tenth": _case(rig, 9 * tenth, tenth),
        "the last tenth, a snapshot held throughout": _case(rig, 9 * tenth, tenth, pinned=True),
    }
    title = f"sustained: {10 * tenth:,} jobs through, batch {BATCH}, two connections and a producer"
    return [await interleave(Table("sustained", title, BASE), cases, Plan(1, plan.quick), SLICES)]


@dataclass
class Flow:
    """Hands that drain, and a producer that keeps a backlog before them."""

    members: Crew
    producer: Producer
    taken: int = 0

    async def through(self, jobs: int) -> Span:
        work, ended = Drain(BATCH, jobs), asyncio.Event()
        feeding = asyncio.create_task(self._feed(work, ended))
        span = await self.members.work(work)
        ended.set()
        await feeding
        self.taken += work.taken
        return span

    async def _feed(self, work: Drain, ended: asyncio.Event) -> None:
        while not ended.is_set():
            if self.producer.sent < self.taken + work.taken + BACKLOG:
                await self.producer.send()
            else:
                await asyncio.sleep(PAUSE_SECONDS)


def _case(rig: Rig, before: int, tenth: int, *, pinned: bool = False) -> Case:
    @asynccontextmanager
    async def case() -> AsyncGenerator[Stand]:
        with rig.fresh(seed.ours(rig)) as database:
            async with AsyncExitStack() as stack:
                if pinned:
                    await stack.enter_async_context(snapshot(database))
                flow = await stack.enter_async_context(_flowing(database))
                portion = tenth // SLICES
                for _ in range(before // portion):
                    await flow.through(portion)
                yield Stand(database, lambda: flow.through(portion))

    return case


@asynccontextmanager
async def _flowing(database: Database) -> AsyncGenerator[Flow]:
    conn = await asyncpg.connect(database.url(OURS.role))
    try:
        owners = [seed.tenant(number) for number in range(100)]
        producer = Producer(await conn.prepare(OURS.many), owners, BATCH, validates=True)
        while producer.sent < BACKLOG:
            await producer.send()
        async with crew(database) as members:
            yield Flow(members, producer)
    finally:
        await conn.close()
