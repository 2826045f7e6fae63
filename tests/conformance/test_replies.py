"""reserve_reply, save_reply."""

from __future__ import annotations

from uuid import uuid4

import pytest

from jobplane.core.errors import IdempotencyMismatch, Invalid, TenantNotFound
from jobplane.core.model import Reserved
from tests.client import Store
from tests.clock import Clock
from tests.conformance.backend import Backend
from tests.conformance.factory import Factory, new

PRINT = b"\x01" * 32
DAY = 86_400


async def test_a_repeated_request_gets_the_same_ids(store: Store, make: Factory) -> None:
    first = await store.reserve_reply(make.alice, "enqueueJobs", "k", PRINT, 3)
    again = await store.reserve_reply(make.alice, "enqueueJobs", "k", PRINT, 3)

    assert (first.is_new, first.status, first.body) == (True, None, None)
    assert len(set(first.job_ids)) == 3
    assert {job_id.version for job_id in first.job_ids} == {7}
    assert again == Reserved(first.job_ids, False, None, None)


async def test_a_crash_between_act_and_reply_doubles_nothing(store: Store, make: Factory) -> None:
    for outcome in ("created", "existing"):
        reserved = await store.reserve_reply(make.alice, "enqueueJob", "k", PRINT)
        [answer] = await make.enqueue(new(id=reserved.job_ids[0]))
        assert (answer.job_id, answer.outcome) == (reserved.job_ids[0], outcome)

    assert await make.count() == 1


async def test_the_first_reply_stays(store: Store, make: Factory) -> None:
    reserved = await store.reserve_reply(make.alice, "enqueueJob", "k", PRINT)

    assert await store.save_reply(make.alice, "enqueueJob", "k", 201, '{"id": "é"}')
    assert await store.save_reply(make.alice, "enqueueJob", "k", 500, "late")

    again = await store.reserve_reply(make.alice, "enqueueJob", "k", PRINT)
    assert again == Reserved(reserved.job_ids, False, 201, '{"id": "é"}')


async def test_a_reply_may_have_no_body(store: Store, make: Factory) -> None:
    await store.reserve_reply(make.alice, "cancelJob", "k", PRINT, 0)

    assert await store.save_reply(make.alice, "cancelJob", "k", 204)

    assert await store.reserve_reply(make.alice, "cancelJob", "k", PRINT, 0) == Reserved([], False, 204, None)


async def test_a_key_stands_for_one_request(store: Store, make: Factory) -> None:
    await store.reserve_reply(make.alice, "enqueueJob", "k", PRINT)

    with pytest.raises(IdempotencyMismatch, match='"k" was used for another request'):
        await store.reserve_reply(make.alice, "enqueueJob", "k", b"\x02")

    assert (await store.reserve_reply(make.alice, "cancelJob", "k", b"\x02")).is_new
    assert (await store.reserve_reply(make.alice, "enqueueJob", "other", b"\x02")).is_new


async def test_charlie_uses_alices_key_as_if_it_were_free(store: Store, make: Factory) -> None:
    hers = await store.reserve_reply(make.alice, "enqueueJob", "k", PRINT)

    assert not await store.save_reply(make.charlie, "enqueueJob", "k", 201, "charlie")
    his = await store.reserve_reply(make.charlie, "enqueueJob", "k", b"\x02")
    assert await store.save_reply(make.charlie, "enqueueJob", "k", 201, "charlie")

    assert his.is_new
    assert set(his.job_ids).isdisjoint(hers.job_ids)
    assert await store.reserve_reply(make.alice, "enqueueJob", "k", PRINT) == Reserved(hers.job_ids, False, None, None)


async def test_a_reply_that_was_never_begun_is_not_saved(store: Store, make: Factory) -> None:
    assert not await store.save_reply(make.alice, "enqueueJob", "k", 201, "b")
    assert (await store.reserve_reply(make.alice, "enqueueJob", "k", PRINT)).is_new


async def test_a_reply_is_kept_for_a_day(store: Store, make: Factory, clock: Clock) -> None:
    await store.reserve_reply(make.alice, "enqueueJob", "k", PRINT)
    clock.advance(DAY)
    assert await store.tidy() == 0
    assert not (await store.reserve_reply(make.alice, "enqueueJob", "k", PRINT)).is_new

    clock.advance(1)

    assert await store.tidy() == 1
    assert (await store.reserve_reply(make.alice, "enqueueJob", "k", PRINT)).is_new


async def test_a_thousand_replies_go_at_a_time(store: Store, make: Factory, clock: Clock, backend: Backend) -> None:
    await store.reserve_reply(make.alice, "enqueueJob", "k", PRINT, 0)
    tenant = "tenant_id" if "rls" in backend.features else "tenant_no"
    backend.audit.meddle(f"""
        insert into jobplane.replies ({tenant}, operation, key, fingerprint, job_ids, created_at)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 1500)
        select {tenant}, operation, 'k' || i, fingerprint, job_ids, created_at from jobplane.replies, n""")
    clock.advance(DAY + 1)

    assert [await store.tidy() for _ in range(3)] == [1000, 501, 0]


async def test_a_request_that_cannot_be_is_refused(store: Store, make: Factory) -> None:
    for key in ("", "k" * 256):
        with pytest.raises(Invalid):
            await store.reserve_reply(make.alice, "enqueueJob", key, PRINT)
    for fingerprint in (b"", b"x" * 65):
        with pytest.raises(Invalid):
            await store.reserve_reply(make.alice, "enqueueJob", "k", fingerprint)
    for operation in ("", "o" * 101):
        with pytest.raises(Invalid):
            await store.reserve_reply(make.alice, operation, "k", PRINT)
    for count in (-1, 1001):
        with pytest.raises(Invalid):
            await store.reserve_reply(make.alice, "enqueueJob", "k", PRINT, count)
    for status in (0, 600):
        with pytest.raises(Invalid):
            await store.save_reply(make.alice, "enqueueJob", "k", status, "")
    with pytest.raises(TenantNotFound):
        await store.reserve_reply(uuid4(), "enqueueJob", "k", PRINT)
