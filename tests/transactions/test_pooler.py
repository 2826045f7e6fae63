"""Behind a pooler in transaction mode, where no session is one's own, and nothing may be left on any of them."""

from __future__ import annotations

from collections.abc import Generator
from uuid import UUID

import asyncpg
import psycopg
import pytest

from jobplane.api.transactions import lend, lend_async
from jobplane.core.model import DEFAULT_TENANT
from jobplane.store.verbs.jobs import Enqueue
from tests.client import BlockingPostgresStore, PostgresStore
from tests.database import Database
from tests.pooler import PoolerMissing, find, pooled
from tests.transactions.jobs import SETTING, committed, ids, new

POOL = 2


@pytest.fixture
def url(db: Database, blocking: BlockingPostgresStore) -> Generator[str]:
    try:
        find()
    except PoolerMissing as missing:
        pytest.skip(str(missing))
    with pooled(db.cluster) as host:
        yield f"postgresql://jobplane_app@/{db.name}?host={host}&port=6432"


def left_behind(url: str) -> set[object]:
    """The tenant on each server connection of the pool; two transactions at once make sure to see both."""
    conns = [psycopg.connect(url, prepare_threshold=None) for _ in range(POOL)]
    found = {conn.execute(SETTING).fetchall()[0][0] for conn in conns}
    for conn in conns:
        conn.close()
    return found


def test_a_transaction_of_psycopg_through_a_pooler(url: str, blocking: BlockingPostgresStore) -> None:
    with psycopg.connect(url, prepare_threshold=None) as conn:
        kept = ids(blocking.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(conn)))
        conn.commit()
        blocking.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(conn))
        conn.rollback()
        conn.autocommit = True
        for _ in range(10):
            kept += ids(blocking.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(conn)))

    assert committed(blocking) == set(kept)
    assert left_behind(url) <= {None, ""}


async def test_a_transaction_of_asyncpg_through_a_pooler(
    url: str, store: PostgresStore, blocking: BlockingPostgresStore
) -> None:
    async with asyncpg.create_pool(url, min_size=4, max_size=4, statement_cache_size=0) as pool:
        kept: list[UUID] = []
        for _ in range(10):
            async with pool.acquire() as conn, conn.transaction():
                kept += ids(await store.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend_async(conn)))

    assert committed(blocking) == set(kept)
    assert left_behind(url) <= {None, ""}
