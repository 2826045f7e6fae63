"""What is done with a lent connection is part of its transaction: on every stack with an event loop, for real."""

from __future__ import annotations

from contextlib import suppress

import pytest

from jobplane.api.transactions import lend_async
from jobplane.core.errors import TenantNotFound
from jobplane.core.model import DEFAULT_TENANT, SYSTEM_TENANT, JobStatus, NewJob
from jobplane.store.base import AsyncConn
from jobplane.store.verbs.jobs import Cancel, Enqueue, GetJobs, RetryJobs
from tests.client import BlockingPostgresStore, PostgresStore
from tests.database import Database
from tests.transactions.jobs import FULL, NOBODY, ORDER, ORDERS, SETTING, claimable, committed, ids, new, spoil
from tests.transactions.loop_stacks import LoopStack


class OnSecondThought(Exception):
    pass


async def test_a_commit_makes_the_job_and_the_data_exist(
    loop_stack: LoopStack, store: PostgresStore, blocking: BlockingPostgresStore, db: Database
) -> None:
    await loop_stack.execute(ORDER)
    made = ids(await store.run(Enqueue(DEFAULT_TENANT, [new(1), new(2)]), conn=lend_async(loop_stack.conn)))
    assert committed(blocking) == set()

    await loop_stack.commit()

    assert db.peek(ORDERS) == [(7,)]
    assert committed(blocking) == set(made)
    assert claimable(blocking) == set(made)


async def test_a_rollback_means_that_it_never_existed(
    loop_stack: LoopStack, store: PostgresStore, blocking: BlockingPostgresStore, db: Database
) -> None:
    await loop_stack.execute(ORDER)
    made = ids(
        await store.run(
            Enqueue(DEFAULT_TENANT, [new(dedupe_key="k", idempotency_key="i")]), conn=lend_async(loop_stack.conn)
        )
    )

    await loop_stack.rollback()

    assert db.peek(ORDERS) == []
    assert blocking.get_jobs(DEFAULT_TENANT, made) == []
    assert claimable(blocking) == set()
    [again] = blocking.enqueue(DEFAULT_TENANT, [new(2, dedupe_key="k", idempotency_key="i")])
    assert again.created


async def test_a_savepoint_that_is_rolled_back_takes_its_own_job_alone(
    loop_stack: LoopStack, store: PostgresStore, blocking: BlockingPostgresStore
) -> None:
    await loop_stack.execute(ORDER)
    kept = ids(await store.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend_async(loop_stack.conn)))
    with suppress(OnSecondThought):
        async with loop_stack.savepoint():
            await store.run(Enqueue(DEFAULT_TENANT, [new(2)]), conn=lend_async(loop_stack.conn))
            raise OnSecondThought
    async with loop_stack.savepoint():
        kept += ids(await store.run(Enqueue(DEFAULT_TENANT, [new(3)]), conn=lend_async(loop_stack.conn)))

    await loop_stack.commit()

    assert committed(blocking) == set(kept)


async def test_a_duplicate_is_answered_and_the_transaction_goes_on(
    loop_stack: LoopStack, store: PostgresStore, blocking: BlockingPostgresStore
) -> None:
    there = ids(blocking.enqueue(DEFAULT_TENANT, [new(dedupe_key="k"), new(idempotency_key="i")]))
    await loop_stack.execute(ORDER)
    asked = [new(2, dedupe_key="k"), new(idempotency_key="i"), new(2, idempotency_key="i")]

    answers = await store.run(Enqueue(DEFAULT_TENANT, asked), conn=lend_async(loop_stack.conn))

    assert [answer.outcome for answer in answers] == ["existing", "existing", "refused"]
    assert [answer.job_id for answer in answers[:2]] == there
    assert answers[2].error_code == "idempotency_mismatch"
    assert await loop_stack.execute(ORDERS) == [(7,)]
    await loop_stack.commit()
    assert committed(blocking) == set(there)


async def test_an_error_in_a_savepoint_is_typed_and_leaves_the_transaction_usable(
    loop_stack: LoopStack, store: PostgresStore, blocking: BlockingPostgresStore
) -> None:
    await loop_stack.execute(ORDER)
    with pytest.raises(TenantNotFound, match="There is no such tenant") as caught:
        async with loop_stack.savepoint():
            await store.run(Enqueue(NOBODY, [new()]), conn=lend_async(loop_stack.conn))
    made = ids(await store.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend_async(loop_stack.conn)))

    await loop_stack.commit()

    assert caught.value.facts["sqlstate"] == "JP011"
    assert caught.value.__cause__ is not None
    assert committed(blocking) == set(made)


async def test_get_cancel_and_retry_see_what_is_not_committed_yet(
    loop_stack: LoopStack, store: PostgresStore, blocking: BlockingPostgresStore
) -> None:
    await loop_stack.execute(ORDER)
    [job_id] = ids(await store.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend_async(loop_stack.conn)))

    [job] = await store.run(GetJobs(DEFAULT_TENANT, [job_id, NOBODY]), conn=lend_async(loop_stack.conn))
    [canceled] = await store.run(Cancel(DEFAULT_TENANT, [job_id], reason="it's late"), conn=lend_async(loop_stack.conn))
    [retried] = await store.run(RetryJobs(DEFAULT_TENANT, [job_id], max_attempts=5), conn=lend_async(loop_stack.conn))

    assert (job.id, job.status, job.payload) == (job_id, JobStatus.QUEUED, {"n": 1})
    assert (canceled.job_id, canceled.outcome, canceled.status) == (job_id, "canceled", JobStatus.CANCELED)
    assert (retried.job_id, retried.outcome, retried.status) == (job_id, "queued", JobStatus.QUEUED)
    assert blocking.get_jobs(DEFAULT_TENANT, [job_id]) == []
    await loop_stack.commit()
    assert blocking.get_jobs(DEFAULT_TENANT, [job_id])[0].max_attempts == 5


async def test_a_job_is_the_same_however_it_is_read_and_written(
    loop_stack: LoopStack, store: PostgresStore, blocking: BlockingPostgresStore
) -> None:
    await loop_stack.execute(ORDER)
    [job_id] = ids(await store.run(Enqueue(DEFAULT_TENANT, [FULL]), conn=lend_async(loop_stack.conn)))
    lent = await store.run(GetJobs(DEFAULT_TENANT, [job_id]), conn=lend_async(loop_stack.conn))

    await loop_stack.commit()

    assert lent == blocking.get_jobs(DEFAULT_TENANT, [job_id])
    assert {name: getattr(lent[0], name) for name in ("payload", "tags", "metadata", "scheduled_for", "priority")} == {
        name: getattr(FULL, name) for name in ("payload", "tags", "metadata", "scheduled_for", "priority")
    }


async def test_the_tenant_setting_is_put_back(
    loop_stack: LoopStack, store: PostgresStore, blocking: BlockingPostgresStore
) -> None:
    def conn() -> AsyncConn:
        return lend_async(loop_stack.conn)

    for tenant in (str(SYSTEM_TENANT), "", "not even a uuid"):
        await loop_stack.execute(f"select set_config('jobplane.tenant_id', '{tenant}', true)")
        seen: list[object] = []
        [job_id] = ids(await store.run(Enqueue(DEFAULT_TENANT, [new()]), conn=conn()))
        seen += await loop_stack.execute(SETTING)
        await store.run(GetJobs(DEFAULT_TENANT, [NOBODY]), conn=conn())
        seen += await loop_stack.execute(SETTING)
        await store.run(Cancel(DEFAULT_TENANT, [job_id, NOBODY]), conn=conn())
        seen += await loop_stack.execute(SETTING)
        await store.run(Enqueue(DEFAULT_TENANT, [NewJob(definition="no such")]), conn=conn())
        seen += await loop_stack.execute(SETTING)
        await store.run(Enqueue(DEFAULT_TENANT, []), conn=conn())
        seen += await loop_stack.execute(SETTING)
        with pytest.raises(TenantNotFound):
            async with loop_stack.savepoint():
                await store.run(Enqueue(NOBODY, [new()]), conn=conn())
        seen += await loop_stack.execute(SETTING)
        assert seen == [(tenant,)] * 6
    await loop_stack.rollback()


async def test_what_cannot_be_decoded_is_marked_on_a_lent_connection(
    loop_stack: LoopStack, store: PostgresStore, blocking: BlockingPostgresStore, db: Database
) -> None:
    made = ids(blocking.enqueue(DEFAULT_TENANT, [new(1), new(2)]))
    spoil(db, made[0])

    bad, good = await store.run(GetJobs(DEFAULT_TENANT, made), conn=lend_async(loop_stack.conn))

    assert (bad.id, bad.payload) == (made[0], None)
    assert bad.undecodable == ("payload", "metadata", "created_at", "scheduled_for", "updated_at")
    assert (good.payload, good.undecodable) == ({"n": 2}, ())
