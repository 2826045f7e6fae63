"""Every stack with an event loop for real: what an application would lend, and its own ways to execute and to end."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import asyncpg
import psycopg
import sqlalchemy
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession, create_async_engine

from tests.database import Database
from tests.transactions.blocking_stacks import Rows, app_url


@dataclass
class LoopStack:
    """A transaction that is open; `conn` is what its application lends."""

    conn: object
    execute: Callable[[str], Awaitable[Rows]]
    commit: Callable[[], Awaitable[object]]
    rollback: Callable[[], Awaitable[object]]
    savepoint: Callable[[], AbstractAsyncContextManager[object]]


@asynccontextmanager
async def psycopg_connection(db: Database) -> AsyncGenerator[LoopStack]:
    async with await psycopg.AsyncConnection.connect(app_url(db)) as conn:
        yield LoopStack(conn, _executor(conn), conn.commit, conn.rollback, conn.transaction)


@asynccontextmanager
async def psycopg_cursor(db: Database) -> AsyncGenerator[LoopStack]:
    async with await psycopg.AsyncConnection.connect(app_url(db)) as conn, conn.cursor() as cursor:
        yield LoopStack(cursor, _executor(conn), conn.commit, conn.rollback, conn.transaction)


@asynccontextmanager
async def asyncpg_connection(db: Database) -> AsyncGenerator[LoopStack]:
    conn = await asyncpg.connect(app_url(db))
    try:
        yield await _begun(conn)
    finally:
        await conn.close()


@asynccontextmanager
async def asyncpg_pool(db: Database) -> AsyncGenerator[LoopStack]:
    async with asyncpg.create_pool(app_url(db), min_size=1, max_size=1) as pool, pool.acquire() as conn:
        yield await _begun(conn)


async def _begun(conn: Any) -> LoopStack:
    block = conn.transaction()
    await block.start()

    async def execute(statement: str) -> Rows:
        return [tuple(row) for row in await conn.fetch(statement)]

    return LoopStack(conn, execute, block.commit, block.rollback, conn.transaction)


def session(driver: str) -> Callable[[Database], AbstractAsyncContextManager[LoopStack]]:
    @asynccontextmanager
    async def opened(db: Database) -> AsyncGenerator[LoopStack]:
        async with _engine(db, driver) as engine, AsyncSession(engine) as session:
            yield LoopStack(session, _sql(session), session.commit, session.rollback, session.begin_nested)

    return opened


def core(driver: str) -> Callable[[Database], AbstractAsyncContextManager[LoopStack]]:
    @asynccontextmanager
    async def opened(db: Database) -> AsyncGenerator[LoopStack]:
        async with _engine(db, driver) as engine, engine.connect() as conn:
            yield LoopStack(conn, _sql(conn), conn.commit, conn.rollback, conn.begin_nested)

    return opened


def _executor(conn: psycopg.AsyncConnection[Any]) -> Callable[[str], Awaitable[Rows]]:
    async def execute(statement: str) -> Rows:
        cursor = await conn.execute(statement.encode())
        return await cursor.fetchall() if cursor.description else []

    return execute


def _sql(conn: AsyncConnection | AsyncSession) -> Callable[[str], Awaitable[Rows]]:
    async def execute(statement: str) -> Rows:
        result: Any = await conn.execute(sqlalchemy.text(statement))
        return [tuple(row) for row in result.all()] if result.returns_rows else []

    return execute


@asynccontextmanager
async def _engine(db: Database, driver: str) -> AsyncGenerator[AsyncEngine]:
    engine = create_async_engine(app_url(db, driver), poolclass=sqlalchemy.NullPool)
    yield engine
    await engine.dispose()


STACKS: Final[dict[str, Callable[[Database], AbstractAsyncContextManager[LoopStack]]]] = {
    "psycopg": psycopg_connection,
    "psycopg-cursor": psycopg_cursor,
    "asyncpg": asyncpg_connection,
    "asyncpg-pool": asyncpg_pool,
    "session-asyncpg": session("+asyncpg"),
    "session-psycopg": session("+psycopg"),
    "connection-asyncpg": core("+asyncpg"),
    "connection-psycopg": core("+psycopg"),
}
