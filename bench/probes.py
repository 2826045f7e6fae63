"""Single calls of the verbs, one by one, by the CPU time that the server spends on each."""

from __future__ import annotations

import statistics
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import asyncpg

from bench import produce, seed
from bench.cpu import cpu_seconds
from bench.facts import PAYLOAD
from bench.hands import Hand
from bench.rig import Database

BATCH: Final = 100
CALLS: Final = 15


@dataclass(frozen=True, slots=True)
class Probes:
    """A worker's and an application's connection, beside which nothing else runs."""

    database: Database
    worker: Hand
    app: asyncpg.Connection

    async def read(self) -> dict[str, float]:
        """Milliseconds of CPU, the median of some calls: dead rows cost that, and no neighbour moves it."""
        seed.jobs(self.database, BATCH * CALLS)
        worker, held = self.worker.conn, list[list[asyncpg.Record]]()

        async def claim() -> None:
            held.append(await self.worker.claim(BATCH))

        return {
            "enqueue": await _median_ms(self.app, self._enqueue),
            f"claim {BATCH}": await _median_ms(worker, claim),
            f"settle {BATCH}": await _median_ms(worker, lambda: self.worker.settle(held.pop())),
            "tick": await _median_ms(worker, lambda: self._tick(full=False)),
            "full tick": await _median_ms(worker, lambda: self._tick(full=True)),
        }

    async def _enqueue(self) -> None:
        await self.app.fetch(produce.OURS.one, seed.tenant(0), PAYLOAD)

    async def _tick(self, *, full: bool) -> None:
        await self.worker.conn.execute("select jobplane.tick($1)", full)


async def _median_ms(conn: asyncpg.Connection, call: Callable[[], Awaitable[None]]) -> float:
    pid, times = conn.get_server_pid(), list[float]()
    for _ in range(CALLS):
        before = cpu_seconds(pid)
        await call()
        times.append((cpu_seconds(pid) - before) * 1000)
    return statistics.median(times)


@asynccontextmanager
async def probing(database: Database) -> AsyncGenerator[Probes]:
    worker, app = await Hand.connect(database), await asyncpg.connect(database.url("app"))
    try:
        yield Probes(database, worker, app)
    finally:
        await worker.conn.close()
        await app.close()
