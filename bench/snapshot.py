"""A snapshot held open, as a report or a forgotten transaction holds it: no dead row can be removed meanwhile."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import asyncpg

from bench.rig import Database


@asynccontextmanager
async def snapshot(database: Database) -> AsyncGenerator[None]:
    conn = await asyncpg.connect(database.url("owner"))
    try:
        async with conn.transaction(isolation="repeatable_read"):
            await conn.execute("select pg_current_xact_id()")
            yield
    finally:
        await conn.close()
