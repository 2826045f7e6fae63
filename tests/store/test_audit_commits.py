"""The chain takes entries of transactions that commit late, whatever their ids are."""

from __future__ import annotations

import asyncio
from uuid import UUID

from jobplane.core.model import DEFAULT_TENANT, NewJob
from tests.client import PostgresStore
from tests.database import Database

CANCEL = "select v.* from (select set_config('jobplane.tenant_id', %s, true)) s, lateral jobplane.cancel(%s) v"


async def jobs(store: PostgresStore, count: int) -> list[UUID]:
    await store.put_definitions([{"key": "d", "kind": "python"}])
    answers = await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")] * count)
    return [answer.job_id for answer in answers if answer.job_id]


def low(db: Database) -> int:
    return db.peek("select low from jobplane.audit_head")[0][0]


async def reach(db: Database, store: PostgresStore, wanted: int) -> None:
    """Call until no older transaction of the whole server is open, and the log is settled up to an id."""
    async with asyncio.timeout(30):
        while low(db) != wanted:
            assert await store.chain_audit() == 0


async def test_a_late_commit_with_a_smaller_id_is_chained_later(db: Database, store: PostgresStore) -> None:
    first, second = await jobs(store, 2)
    late = db.connect("app", autocommit=False)
    late.execute(CANCEL, [str(DEFAULT_TENANT), [first]])
    await store.cancel(DEFAULT_TENANT, [second])

    assert [await store.chain_audit() for _ in range(4)] == [1, 0, 0, 0]
    assert low(db) == 0
    late.commit()
    assert await store.chain_audit() == 1

    await reach(db, store, 2)
    assert [row[0] for row in db.peek("select audit_id from jobplane.audit_chain order by position")] == [2, 1]
    assert (await store.verify_audit()).is_intact


async def test_a_rolled_back_id_does_not_hold_the_chain_up(db: Database, store: PostgresStore) -> None:
    first, second = await jobs(store, 2)
    late = db.connect("app", autocommit=False)
    late.execute(CANCEL, [str(DEFAULT_TENANT), [first]])
    late.rollback()
    await store.cancel(DEFAULT_TENANT, [second])

    assert await store.chain_audit() == 1
    await reach(db, store, 2)


async def test_only_one_call_at_a_time_prolongs_the_chain(db: Database, store: PostgresStore) -> None:
    await store.cancel(DEFAULT_TENANT, await jobs(store, 1))
    other = db.connect("admin", autocommit=False)

    assert other.execute("select jobplane.chain_audit()").fetchall() == [(1,)]
    assert await store.chain_audit() == 0
    other.rollback()
    assert await store.chain_audit() == 1


async def test_a_mark_of_another_server_does_not_hold_the_chain_up(db: Database, store: PostgresStore) -> None:
    """As after a restore from a dump: its transactions have higher numbers than ours."""
    await store.cancel(DEFAULT_TENANT, await jobs(store, 1))
    db.peek("update jobplane.audit_head set mark = 0, mark_xid = '9000000000'")

    assert await store.chain_audit() == 1
    await reach(db, store, 1)
