"""The habits of an application with an event loop: codecs, record classes, pools, sessions that belong to a scope."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from psycopg import AsyncConnection
from psycopg.rows import dict_row
from sqlalchemy.ext.asyncio import (
    AsyncEngine,
    AsyncSession,
    async_scoped_session,
    async_sessionmaker,
    create_async_engine,
)
from sqlalchemy.orm import Session

from jobplane.api.transactions import lend, lend_async
from jobplane.core.errors import Conflict, Invalid, TenantNotFound
from jobplane.core.model import DEFAULT_TENANT, Enqueued, Job
from jobplane.store.verbs.jobs import Enqueue, GetJobs
from tests.client import BlockingPostgresStore, PostgresStore
from tests.database import Database
from tests.transactions.blocking_stacks import app_url
from tests.transactions.jobs import FULL, NOBODY, SETTING, committed, ids, new


async def written_and_read(store: PostgresStore, conn: object) -> Job:
    [job_id] = ids(await store.run(Enqueue(DEFAULT_TENANT, [FULL]), conn=lend_async(conn)))
    [job] = await store.run(GetJobs(DEFAULT_TENANT, [job_id]), conn=lend_async(conn))
    assert (job.id, job.payload, job.expires_at) == (job_id, FULL.payload, FULL.expires_at)
    return job


@asynccontextmanager
async def _engine(db: Database, driver: str = "+asyncpg") -> AsyncGenerator[AsyncEngine]:
    engine = create_async_engine(app_url(db, driver))
    yield engine
    await engine.dispose()


@pytest.fixture
async def conn(db: Database, blocking: BlockingPostgresStore) -> AsyncGenerator[Any]:
    conn = await asyncpg.connect(app_url(db))
    yield conn
    await conn.close()


async def test_codecs_of_asyncpg_are_left_to_the_application(conn: Any, store: PostgresStore) -> None:
    for name in ("json", "jsonb"):
        await conn.set_type_codec(name, schema="pg_catalog", encoder=json.dumps, decoder=json.loads)
    for name in ("uuid", "timestamptz"):
        await conn.set_type_codec(name, schema="pg_catalog", encoder=str, decoder=str.upper)
    async with conn.transaction():
        await written_and_read(store, conn)

    assert await conn.fetchval("select '{}'::jsonb") == {}
    assert await conn.fetchval(f"select '{UUID(int=10)}'::uuid") == str(UUID(int=10)).upper()


async def test_a_record_class_of_asyncpg_does_not_matter(
    db: Database, store: PostgresStore, blocking: BlockingPostgresStore
) -> None:
    class Mine(asyncpg.Record):
        def __getitem__(self, key: Any) -> Any:
            return "mine"

    conn = await asyncpg.connect(app_url(db), record_class=Mine, statement_cache_size=0)
    await written_and_read(store, conn)
    await conn.close()


async def test_asyncpg_without_a_transaction_makes_it_a_statement_of_its_own(
    conn: Any, store: PostgresStore, blocking: BlockingPostgresStore
) -> None:
    await conn.execute("set jobplane.tenant_id = 'mine'")
    made = ids(await store.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend_async(conn)))

    assert committed(blocking) == set(made)
    assert await conn.fetchval(SETTING) == "mine"


async def test_a_row_factory_of_psycopg_stays_the_connections_own(
    db: Database, store: PostgresStore, blocking: BlockingPostgresStore
) -> None:
    async with await AsyncConnection[Any].connect(app_url(db), row_factory=dict_row) as conn:
        job = await written_and_read(store, conn)
        await conn.rollback()

        assert conn.row_factory is dict_row
    assert job.id not in committed(blocking)


async def test_a_scoped_session_is_lent_as_the_session_of_its_scope(
    db: Database, store: PostgresStore, blocking: BlockingPostgresStore
) -> None:
    async with _engine(db) as engine:
        scoped = async_scoped_session(async_sessionmaker(engine), asyncio.current_task)
        job = await written_and_read(store, scoped)
        await scoped.commit()
        await scoped.remove()

    assert committed(blocking) == {job.id}


async def test_the_blocking_session_inside_run_sync_is_lent_to_the_blocking_call(
    db: Database, blocking: BlockingPostgresStore
) -> None:
    def enqueue(session: Session) -> list[Enqueued]:
        return blocking.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(session))

    async with _engine(db) as engine, AsyncSession(engine) as session:
        made = ids(await session.run_sync(enqueue))
        await session.commit()

    assert committed(blocking) == set(made)


@pytest.mark.parametrize("driver", ["+asyncpg", "+psycopg"])
async def test_a_failed_transaction_of_a_session_says_to_roll_back(
    db: Database, store: PostgresStore, blocking: BlockingPostgresStore, driver: str
) -> None:
    async with _engine(db, driver) as engine, AsyncSession(engine) as session:
        with pytest.raises(TenantNotFound, match="There is no such tenant"):
            await store.run(Enqueue(NOBODY, [new()]), conn=lend_async(session))
        with pytest.raises(Conflict, match="Roll it back"):
            await store.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend_async(session))

        await session.rollback()
        await written_and_read(store, session)


async def test_a_connection_that_is_busy_says_so(conn: Any, store: PostgresStore) -> None:
    async with conn.transaction():
        busy = asyncio.create_task(conn.fetch("select pg_sleep(0.2)"))
        await asyncio.sleep(0)
        with pytest.raises(Invalid, match="another operation is in progress"):
            await store.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend_async(conn))
        await busy
