"""What is done with a lent connection is part of its transaction: on every blocking stack, for real."""

from __future__ import annotations

from contextlib import suppress

import pytest

from jobplane.api.transactions import lend
from jobplane.core.errors import TenantNotFound
from jobplane.core.model import DEFAULT_TENANT, SYSTEM_TENANT, JobStatus, NewJob
from jobplane.store.base import Conn
from jobplane.store.verbs.jobs import Cancel, Enqueue, GetJobs, RetryJobs
from tests.client import BlockingPostgresStore
from tests.database import Database
from tests.transactions.blocking_stacks import Stack
from tests.transactions.jobs import FULL, NOBODY, ORDER, ORDERS, SETTING, claimable, committed, ids, new, spoil


class OnSecondThought(Exception):
    pass


def test_a_commit_makes_the_job_and_the_data_exist(stack: Stack, blocking: BlockingPostgresStore, db: Database) -> None:
    stack.execute(ORDER)
    made = ids(blocking.run(Enqueue(DEFAULT_TENANT, [new(1), new(2)]), conn=lend(stack.conn)))
    assert committed(blocking) == set()

    stack.commit()

    assert db.peek(ORDERS) == [(7,)]
    assert committed(blocking) == set(made)
    assert claimable(blocking) == set(made)


def test_a_rollback_means_that_it_never_existed(stack: Stack, blocking: BlockingPostgresStore, db: Database) -> None:
    stack.execute(ORDER)
    made = ids(blocking.run(Enqueue(DEFAULT_TENANT, [new(dedupe_key="k", idempotency_key="i")]), conn=lend(stack.conn)))

    stack.rollback()

    assert db.peek(ORDERS) == []
    assert blocking.get_jobs(DEFAULT_TENANT, made) == []
    assert claimable(blocking) == set()
    [again] = blocking.enqueue(DEFAULT_TENANT, [new(2, dedupe_key="k", idempotency_key="i")])
    assert again.created


def test_a_savepoint_that_is_rolled_back_takes_its_own_job_alone(stack: Stack, blocking: BlockingPostgresStore) -> None:
    stack.execute(ORDER)
    kept = ids(blocking.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(stack.conn)))
    with suppress(OnSecondThought), stack.savepoint():
        blocking.run(Enqueue(DEFAULT_TENANT, [new(2)]), conn=lend(stack.conn))
        raise OnSecondThought
    with stack.savepoint():
        kept += ids(blocking.run(Enqueue(DEFAULT_TENANT, [new(3)]), conn=lend(stack.conn)))

    stack.commit()

    assert committed(blocking) == set(kept)


def test_a_duplicate_is_answered_and_the_transaction_goes_on(stack: Stack, blocking: BlockingPostgresStore) -> None:
    there = ids(blocking.enqueue(DEFAULT_TENANT, [new(dedupe_key="k"), new(idempotency_key="i")]))
    stack.execute(ORDER)
    asked = [new(2, dedupe_key="k"), new(idempotency_key="i"), new(2, idempotency_key="i")]

    answers = blocking.run(Enqueue(DEFAULT_TENANT, asked), conn=lend(stack.conn))

    assert [answer.outcome for answer in answers] == ["existing", "existing", "refused"]
    assert [answer.job_id for answer in answers[:2]] == there
    assert answers[2].error_code == "idempotency_mismatch"
    assert stack.execute(ORDERS) == [(7,)]
    stack.commit()
    assert committed(blocking) == set(there)


def test_an_error_in_a_savepoint_is_typed_and_leaves_the_transaction_usable(
    stack: Stack, blocking: BlockingPostgresStore
) -> None:
    stack.execute(ORDER)
    with pytest.raises(TenantNotFound, match="There is no such tenant") as caught, stack.savepoint():
        blocking.run(Enqueue(NOBODY, [new()]), conn=lend(stack.conn))
    made = ids(blocking.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(stack.conn)))

    stack.commit()

    assert caught.value.facts["sqlstate"] == "JP011"
    assert caught.value.__cause__ is not None
    assert committed(blocking) == set(made)


def test_get_cancel_and_retry_see_what_is_not_committed_yet(stack: Stack, blocking: BlockingPostgresStore) -> None:
    stack.execute(ORDER)
    [job_id] = ids(blocking.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(stack.conn)))

    [job] = blocking.run(GetJobs(DEFAULT_TENANT, [job_id, NOBODY]), conn=lend(stack.conn))
    [canceled] = blocking.run(Cancel(DEFAULT_TENANT, [job_id], reason="it's late"), conn=lend(stack.conn))
    [retried] = blocking.run(RetryJobs(DEFAULT_TENANT, [job_id], max_attempts=5), conn=lend(stack.conn))

    assert (job.id, job.status, job.payload) == (job_id, JobStatus.QUEUED, {"n": 1})
    assert (canceled.job_id, canceled.outcome, canceled.status) == (job_id, "canceled", JobStatus.CANCELED)
    assert (retried.job_id, retried.outcome, retried.status) == (job_id, "queued", JobStatus.QUEUED)
    assert blocking.get_jobs(DEFAULT_TENANT, [job_id]) == []
    stack.commit()
    assert blocking.get_jobs(DEFAULT_TENANT, [job_id])[0].max_attempts == 5


def test_a_job_is_the_same_however_it_is_read_and_written(stack: Stack, blocking: BlockingPostgresStore) -> None:
    stack.execute(ORDER)
    [job_id] = ids(blocking.run(Enqueue(DEFAULT_TENANT, [FULL]), conn=lend(stack.conn)))
    lent = blocking.run(GetJobs(DEFAULT_TENANT, [job_id]), conn=lend(stack.conn))

    stack.commit()

    assert lent == blocking.get_jobs(DEFAULT_TENANT, [job_id])
    assert {name: getattr(lent[0], name) for name in ("payload", "tags", "metadata", "scheduled_for", "priority")} == {
        name: getattr(FULL, name) for name in ("payload", "tags", "metadata", "scheduled_for", "priority")
    }


def test_the_tenant_setting_is_put_back(stack: Stack, blocking: BlockingPostgresStore) -> None:
    def conn() -> Conn:
        return lend(stack.conn)

    for tenant in (str(SYSTEM_TENANT), "", "not even a uuid"):
        stack.execute(f"select set_config('jobplane.tenant_id', '{tenant}', true)")
        seen: list[object] = []
        [job_id] = ids(blocking.run(Enqueue(DEFAULT_TENANT, [new()]), conn=conn()))
        seen += stack.execute(SETTING)
        blocking.run(GetJobs(DEFAULT_TENANT, [NOBODY]), conn=conn())
        seen += stack.execute(SETTING)
        blocking.run(Cancel(DEFAULT_TENANT, [job_id, NOBODY]), conn=conn())
        seen += stack.execute(SETTING)
        blocking.run(Enqueue(DEFAULT_TENANT, [NewJob(definition="no such")]), conn=conn())
        seen += stack.execute(SETTING)
        blocking.run(Enqueue(DEFAULT_TENANT, []), conn=conn())
        seen += stack.execute(SETTING)
        with pytest.raises(TenantNotFound), stack.savepoint():
            blocking.run(Enqueue(NOBODY, [new()]), conn=conn())
        seen += stack.execute(SETTING)
        assert seen == [(tenant,)] * 6
    stack.rollback()


def test_what_cannot_be_decoded_is_marked_on_a_lent_connection(
    stack: Stack, blocking: BlockingPostgresStore, db: Database
) -> None:
    made = ids(blocking.enqueue(DEFAULT_TENANT, [new(1), new(2)]))
    spoil(db, made[0])

    bad, good = blocking.run(GetJobs(DEFAULT_TENANT, made), conn=lend(stack.conn))

    assert [bad.id, good.id] == made
    assert (bad.payload, bad.metadata, bad.created_at) == (None, None, None)
    assert bad.undecodable == ("payload", "metadata", "created_at", "scheduled_for", "updated_at")
    assert (good.payload, good.undecodable) == ({"n": 2}, ())
