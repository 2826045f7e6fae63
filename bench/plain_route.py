"""What the REST API is measured against: one route of FastAPI with one indexed statement."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

from fastapi import FastAPI
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

POOL: AsyncConnectionPool[AsyncConnection[tuple[Any, ...]]] = AsyncConnectionPool(
    os.environ.get("BENCH_URL", ""), min_size=0, max_size=8, open=False
)


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
    await POOL.open()
    yield
    await POOL.close()


app = FastAPI(lifespan=lifespan)


@app.get("/jobs/{job_id}")
async def get_job(job_id: UUID) -> dict[str, Any]:
    async with POOL.connection() as conn:
        cursor = await conn.execute("select id, payload from public.plain_jobs where id = %s", [job_id])
        found = await cursor.fetchone()
    return {} if found is None else {"id": found[0], "payload": found[1]}
