from __future__ import annotations

from datetime import timedelta

import pytest

from jobplane.core.errors import Invalid, UnknownQueue
from jobplane.core.model import JobStatus
from tests.client import Store
from tests.clock import START, Clock
from tests.conformance.factory import Factory, new
from tests.conformance.test_triggers import schedule


async def test_a_lease_carries_all_that_a_worker_needs(store: Store, make: Factory, clock: Clock) -> None:
    await make.define("full", timeout_seconds=77, max_attempts=4)
    job_id = await make.job(
        definition="full",
        payload={"path": "/ä"},
        priority=7,
        artifact_ref="a",
        correlation_id="c",
        trace_context="t",
        source="event",
        source_ref="e-1",
        created_by="alice",
    )
    queued_at = clock.now()
    clock.advance(2)

    [lease] = (await store.claim("default", "w1", lease_seconds=45)).leases

    expected = {
        "job_id": job_id,
        "tenant_id": make.alice,
        "definition_key": "full",
        "attempt_no": 1,
        "attempts_left": 3,
        "lease_expires_at": clock.now() + timedelta(seconds=45),
        "scheduled_for": queued_at,
        "timeout_seconds": 77,
        "priority": 7,
        "alone": False,
        "payload": {"path": "/ä"},
        "artifact_ref": "a",
        "correlation_id": "c",
        "trace_context": "t",
        "source": "event",
        "source_ref": "e-1",
        "created_by": "alice",
    }
    assert {name: getattr(lease, name) for name in expected} == expected


async def test_a_claimed_job_of_a_trigger_knows_its_planned_time(store: Store, make: Factory) -> None:
    trigger = await store.create_trigger(make.alice, schedule())
    planned = START - timedelta(days=3, microseconds=7)
    await store.fire_trigger(make.alice, trigger.id, 1, "backfill", [planned], [{}])
    await make.job()

    leases = await make.claim(2)

    assert [(lease.trigger_id, lease.planned_at) for lease in leases] == [(trigger.id, planned), (None, None)]


async def test_a_claimed_job_runs(make: Factory, clock: Clock) -> None:
    job_id = await make.job()
    clock.advance(1)
    await make.claim(worker="host:1:boot")

    job = await make.get(job_id)

    assert job.status is JobStatus.RUNNING
    assert (job.worker_id, job.attempts, job.attempt_no) == ("host:1:boot", 1, 1)
    assert job.started_at == job.first_started_at == clock.now()
    assert job.lease_expires_at == clock.now() + timedelta(seconds=30)


async def test_the_start_of_this_attempt_is_not_that_of_the_first(store: Store, make: Factory, clock: Clock) -> None:
    lease = await make.lease()
    first = clock.now()
    await store.release([lease])
    clock.advance(60)
    await make.again()

    job = await make.get(lease.job_id)

    assert (job.first_started_at, job.started_at) == (first, clock.now())


async def test_a_job_is_not_claimed_before_its_time(store: Store, make: Factory, clock: Clock) -> None:
    job_id = await make.job(scheduled_for=clock.now() + timedelta(seconds=10))
    clock.advance(9.999)
    await store.promote()
    assert await make.claim() == []

    clock.advance(0.001)
    await store.promote()

    assert await make.claim_ids() == [job_id]


async def test_a_time_in_the_past_is_now(make: Factory, clock: Clock) -> None:
    job_id = await make.job(scheduled_for=clock.now() - timedelta(days=400))

    assert await make.claim_ids() == [job_id]


async def test_one_tenants_jobs_go_by_priority_and_then_in_order(store: Store, make: Factory) -> None:
    """Fewer than sixteen, so that no lower priority has its turn before."""
    asked = [100, 5, 100, 900, 5, 0, 100, 900, 5]
    ids = [await make.job(priority=priority) for priority in asked]
    await store.tick()

    claimed = [job_id for _ in asked for job_id in await make.claim_ids()]

    assert claimed == [ids[i] for i in sorted(range(len(asked)), key=lambda i: (asked[i], i))]


async def test_a_late_urgent_job_goes_first(make: Factory) -> None:
    await make.jobs(5)
    urgent = await make.job(priority=10)

    assert urgent in await make.claim_ids(1)


async def test_a_claim_takes_no_more_than_it_asked_for(make: Factory) -> None:
    ids = await make.jobs(20)

    taken = [await make.claim_ids(5) for _ in range(5)]

    assert [len(some) for some in taken] == [5, 5, 5, 5, 0]
    assert set(taken[0]) == set(ids[:5])
    assert sorted(job_id for some in taken for job_id in some) == sorted(ids)


async def test_a_thousand_are_claimed_at_once(make: Factory) -> None:
    await make.jobs(1001)

    assert len(await make.claim_ids(1000)) == 1000


async def test_each_claim_has_a_token_of_its_own(make: Factory) -> None:
    await make.jobs(4)

    first, second = await make.claim(2), await make.claim(2)

    assert first[0].token == first[1].token
    assert second[0].token == second[1].token != first[0].token


async def test_a_claim_serves_one_queue(store: Store, make: Factory) -> None:
    await store.put_queues(["other"])
    mine = await make.job()
    theirs = await make.job(queue="other")

    assert await make.claim_ids(10, queue="other") == [theirs]
    assert await make.claim_ids(10) == [mine]


async def test_an_unknown_queue_is_an_error(make: Factory) -> None:
    with pytest.raises(UnknownQueue, match="nowhere"):
        await make.claim(queue="nowhere")


async def test_what_a_claim_may_ask_for_is_bounded(store: Store, make: Factory) -> None:
    await make.job()
    for limit in (0, -1, 1001, 2**31, 2**70):
        with pytest.raises(Invalid):
            await store.claim("default", "w1", limit=limit)
    for seconds in (0, 4, 3601, 2**31):
        with pytest.raises(Invalid):
            await store.claim("default", "w1", lease_seconds=seconds)
    for worker in ("", "w" * 201, "w\x00", "\ud800"):
        with pytest.raises(Invalid):
            await store.claim("default", worker)

    assert (await store.summary(make.alice)).running == 0


async def test_the_shortest_and_the_longest_lease(store: Store, make: Factory, clock: Clock) -> None:
    await make.jobs(2)

    ends = [(await store.claim("default", "w1", lease_seconds=s)).leases[0].lease_expires_at for s in (5, 3600)]

    assert ends == [clock.now() + timedelta(seconds=5), clock.now() + timedelta(hours=1)]


async def test_an_expired_job_is_not_claimed(store: Store, make: Factory, clock: Clock) -> None:
    stale, fresh = [
        answer.job_id for answer in await make.enqueue(new(expires_at=clock.now() + timedelta(seconds=10)), new())
    ]
    clock.advance(10)

    assert await make.claim_ids(10) == [fresh]
    assert (await store.get_jobs(make.alice, [stale] if stale else []))[0].status is JobStatus.QUEUED


async def test_a_job_is_claimed_up_to_its_expiry(make: Factory, clock: Clock) -> None:
    job_id = await make.job(expires_at=clock.now() + timedelta(seconds=10))
    clock.advance(9.999)

    assert await make.claim_ids() == [job_id]
