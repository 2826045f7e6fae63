"""Cases that drain: a database copied from a template, hands at work in slices, and the upkeep beside them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass

from bench import seed
from bench.hands import OURS, Drain, Hand, Way
from bench.measure import Case, Span, Stand
from bench.rig import Database, Rig
from bench.upkeep import Upkeep, upkeep


@dataclass
class Crew:
    """The hands of one case."""

    hands: list[Hand]
    keeper: Upkeep | None

    async def drain(self, batch: int, jobs: int) -> Span:
        return await self.work(Drain(batch, jobs))

    async def work(self, work: Drain) -> Span:
        start = time.perf_counter()
        async with self.keeper.on() if self.keeper else nullcontext():
            await asyncio.gather(*(work.work(hand) for hand in self.hands))
        took = time.perf_counter() - start
        if self.keeper:
            await self.keeper.rest()
        return Span(work.done, took)


@asynccontextmanager
async def crew(database: Database, way: Way = OURS, hands: int = 2) -> AsyncGenerator[Crew]:
    """Hands with the upkeep beside them, where it is the functions that they drive."""
    async with AsyncExitStack() as stack:
        keeper = await stack.enter_async_context(upkeep(database)) if way.fenced else None
        members = [await Hand.connect(database, way) for _ in range(hands)]
        for hand in members:
            stack.push_async_callback(hand.conn.close)
        yield Crew(members, keeper)


def draining(
    rig: Rig,
    template: str,
    prepare: Callable[[Database], None],
    *,
    way: Way = OURS,
    batch: int = 500,
    jobs: int = 10_000,
    top_up: Callable[[Database], None] | None = None,
) -> Case:
    """Slices of so many jobs; `top_up` puts in what a slice will take out, untimed."""

    @asynccontextmanager
    async def case() -> AsyncGenerator[Stand]:
        with rig.fresh(template) as database:
            prepare(database)
            database.settle_down()
            async with crew(database, way) as members:

                async def step() -> Span:
                    if top_up:
                        top_up(database)
                    return await members.drain(batch, jobs)

                yield Stand(database, step)

    return case


def plain(jobs: int, batch: int, slices: int) -> Callable[[Database], None]:
    """Ready jobs for so many slices, and for what the last claims take beyond them."""
    return lambda database: seed.jobs(database, (jobs + 2 * batch) * slices)
