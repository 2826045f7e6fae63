"""What workers and the scheduler do in the background while jobs flow: ticks, and the vacuum of the hot tables."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import count
from typing import Final

import asyncpg

from bench.rig import Database

TICK_SECONDS: Final = 0.25
FULL_EVERY: Final = 8
VACUUM: Final = (
    "vacuum (skip_locked, truncate off, index_cleanup on, parallel 0) "
    "jobplane.ready, jobplane.held, jobplane.upcoming, jobplane.leases, jobplane.limits, jobplane.clocks"
)


class Upkeep:
    """Ticks every 250 ms, a full one and a vacuum every 2 s; only while it is on, so that no other case pays for it."""

    def __init__(self, worker: asyncpg.Connection, maintenance: asyncpg.Connection) -> None:
        self._worker = worker
        self._maintenance = maintenance
        self._on = asyncio.Event()
        self._busy = asyncio.Lock()

    @asynccontextmanager
    async def on(self) -> AsyncGenerator[None]:
        self._on.set()
        try:
            yield
        finally:
            self._on.clear()

    async def rest(self) -> None:
        """Return when nothing is under way."""
        async with self._busy:
            pass

    async def run(self) -> None:
        for number in count(1):
            await self._on.wait()
            await asyncio.sleep(TICK_SECONDS)
            await self._on.wait()
            async with self._busy:
                full = number % FULL_EVERY == 0
                await self._worker.execute("select jobplane.promote()")
                await self._worker.execute("select jobplane.tick($1)", full)
                if full:
                    await self._maintenance.execute(VACUUM)


@asynccontextmanager
async def upkeep(database: Database) -> AsyncGenerator[Upkeep]:
    worker = await asyncpg.connect(database.url("worker"))
    maintenance = await asyncpg.connect(database.url("maintenance"))
    keeper = Upkeep(worker, maintenance)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(keeper.run())
        try:
            yield keeper
        finally:
            await keeper.rest()
            task.cancel()
    await worker.close()
    await maintenance.close()
