"""A worker and a producer of pgqueuer, each a process of its own, with the batch that served it best."""

from __future__ import annotations

import json
from typing import Final

import asyncpg
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver, AsyncpgPoolDriver
from pgqueuer.models import Job
from pgqueuer.queries import Queries

from bench.peers.pgqueuer import ENTRYPOINT, send
from bench.peers.program import URL, handler, paced, run
from bench.produce import payload

BATCH: Final = 500
SEED_BATCH: Final = 1000


async def _seed(count: int) -> None:
    conn = await asyncpg.connect(URL)
    queries = Queries(AsyncpgDriver(conn))
    for first in range(0, count, SEED_BATCH):
        await send(queries, min(SEED_BATCH, count - first))
    await conn.close()


async def _send(first: int, count: int, rate: int) -> None:
    conn = await asyncpg.connect(URL)
    queries = Queries(AsyncpgDriver(conn))
    await paced(first, count, rate, lambda number: queries.enqueue(ENTRYPOINT, json.dumps(payload(number)).encode()))
    await conn.close()


async def _work() -> None:
    pool = await asyncpg.create_pool(URL, min_size=4, max_size=10)
    queue, handle = PgQueuer(AsyncpgPoolDriver(pool)), handler()

    @queue.entrypoint(ENTRYPOINT)
    async def noop(job: Job) -> None:
        handle(json.loads(job.payload or b"{}")["i"])

    await queue.run(batch_size=BATCH)


if __name__ == "__main__":
    run({"seed": _seed, "send": _send, "work": _work})
