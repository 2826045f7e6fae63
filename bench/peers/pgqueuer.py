"""pgqueuer: its asyncpg driver on uvloop."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

import asyncpg
from pgqueuer.adapters.persistence.qb import QueryBuilderEnvironment
from pgqueuer.db import AsyncpgDriver
from pgqueuer.queries import Queries

from bench.measure import Case, Span, Stand
from bench.produce import WARM_UP_CALLS, payload
from bench.rig import Database, Rig

ENTRYPOINT: Final = "noop"


def case(rig: Rig, seconds: float, batch: int) -> Case:
    """Enqueue in slices of so many seconds."""

    @asynccontextmanager
    async def ready() -> AsyncGenerator[Stand]:
        with rig.fresh(rig.template("pgqueuer", install)) as database:
            conn = await asyncpg.connect(database.url("owner"))
            queries = Queries(AsyncpgDriver(conn))
            for _ in range(WARM_UP_CALLS // batch + 1):
                await send(queries, batch)
            yield Stand(database, lambda: _send_for(queries, batch, seconds))
            await conn.close()

    return ready


def install(database: Database) -> None:
    database.own(QueryBuilderEnvironment().build_install_query())


async def _send_for(queries: Queries, batch: int, seconds: float) -> Span:
    calls, start = 0, time.perf_counter()
    while time.perf_counter() < start + seconds:
        await send(queries, batch)
        calls += 1
    return Span(calls * batch, time.perf_counter() - start)


async def send(queries: Queries, batch: int) -> None:
    payloads: list[bytes | None] = [json.dumps(payload(number)).encode() for number in range(batch)]
    if batch == 1:
        await queries.enqueue(ENTRYPOINT, payloads[0])
    else:
        await queries.enqueue([ENTRYPOINT] * batch, payloads, [0] * batch)
