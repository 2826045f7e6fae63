from __future__ import annotations

from datetime import timedelta

from jobplane.core.model import Outcome
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import Factory


async def test_what_did_not_start_in_time_is_canceled(store: Store, make: Factory, clock: Clock) -> None:
    at = clock.now() + timedelta(seconds=10)
    await make.define("off")
    held = await make.job(definition="off", expires_at=at)
    await make.define("off", active=False)
    assert await make.claim() == []
    ids = [held, await make.job(expires_at=at), await make.job(expires_at=at, delay_seconds=60)]
    spared = await make.job(expires_at=at + timedelta(seconds=1))
    clock.advance(10)

    assert await store.expire() == 3

    for job in await store.get_jobs(make.alice, ids):
        assert (job.status, job.reason, job.finished_at) == ("canceled", "expired", clock.now())
    assert (await make.get(spared)).status == "queued"
    assert await store.expire() == 0


async def test_a_job_expires_at_its_time_and_not_before(store: Store, make: Factory, clock: Clock) -> None:
    await make.job(expires_at=clock.now() + timedelta(seconds=10))
    clock.advance(9.999)
    assert await store.expire() == 0

    clock.advance(0.001)
    assert await store.expire() == 1


async def test_a_time_in_the_past_expires_at_once(store: Store, make: Factory, clock: Clock) -> None:
    job_id = await make.job(expires_at=clock.now() - timedelta(seconds=1))

    assert await make.claim() == []
    assert await store.expire() == 1
    assert (await make.get(job_id)).reason == "expired"


async def test_a_job_that_has_started_does_not_expire(store: Store, make: Factory, clock: Clock) -> None:
    running = await make.lease(expires_at=clock.now() + timedelta(seconds=10))
    requeued = await make.lease(expires_at=clock.now() + timedelta(seconds=10))
    released = await make.lease(expires_at=clock.now() + timedelta(seconds=10))
    await make.settle(requeued, Outcome.FAILED, retry_after=60)
    await store.release([released])
    await store.promote()
    clock.advance(20)

    assert await store.expire() == 0
    assert (await make.settle(running, Outcome.SUCCEEDED)).status == "succeeded"
    assert await make.claim_ids() == [released.job_id]


async def test_no_more_expire_than_the_limit(store: Store, make: Factory, clock: Clock) -> None:
    await make.jobs(5, expires_at=clock.now() + timedelta(seconds=1))
    clock.advance(1)

    assert [await store.expire(limit=2) for _ in range(4)] == [2, 2, 1, 0]


async def test_an_expired_job_gives_its_dedupe_key_back(store: Store, make: Factory, clock: Clock) -> None:
    first = await make.job(dedupe_key="k", expires_at=clock.now() + timedelta(seconds=1))
    clock.advance(1)
    await store.expire()

    assert await make.job(dedupe_key="k") != first


async def test_what_was_canceled_or_brought_back_is_left_alone(store: Store, make: Factory, clock: Clock) -> None:
    job_id = await make.job(expires_at=clock.now() + timedelta(seconds=10))
    await store.cancel(make.alice, [job_id], reason="mine")
    clock.advance(20)
    assert await store.expire() == 0
    assert (await make.get(job_id)).reason == "mine"


async def test_an_expiry_outlives_a_new_time_and_a_new_payload(store: Store, make: Factory, clock: Clock) -> None:
    job_id = await make.job(expires_at=clock.now() + timedelta(seconds=10))
    await store.reschedule(make.alice, [job_id], delay_seconds=60)
    await store.edit(make.alice, job_id, {"payload": {"n": 2}})
    clock.advance(10)

    assert await store.expire() == 1
    assert (await make.get(job_id)).reason == "expired"
