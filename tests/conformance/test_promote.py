from __future__ import annotations

from datetime import timedelta

from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import Factory, new


async def test_what_came_due_becomes_ready(store: Store, make: Factory, clock: Clock) -> None:
    for delay in (10, 20, 30):
        await make.job(delay_seconds=delay)
    clock.advance(20)

    assert await store.promote() == 2
    assert await store.promote() == 0

    summary = await store.summary(make.alice)
    assert (summary.ready, summary.upcoming) == (2, 1)


async def test_a_promotion_takes_no_more_than_its_limit_and_the_longest_due_first(
    store: Store, make: Factory, clock: Clock
) -> None:
    delays = [50, 10, 40, 20, 30]
    ids = {delay: await make.job(delay_seconds=delay) for delay in delays}
    clock.advance(60)

    assert await store.promote(limit=2) == 2
    assert sorted(await make.claim_ids(10)) == sorted([ids[10], ids[20]])
    assert [await store.promote(limit=2) for _ in range(3)] == [2, 1, 0]


async def test_jobs_that_come_due_together_run_in_the_order_of_their_time(
    store: Store, make: Factory, clock: Clock
) -> None:
    late, early = [
        answer.job_id
        for answer in await make.enqueue(
            new(scheduled_for=clock.now() + timedelta(seconds=2)), new(scheduled_for=clock.now() + timedelta(seconds=1))
        )
    ]
    clock.advance(5)
    await store.promote()

    assert [job_id for _ in range(2) for job_id in await make.claim_ids()] == [early, late]


async def test_a_promoted_job_stands_behind_what_waits_already(store: Store, make: Factory, clock: Clock) -> None:
    later = await make.job(delay_seconds=1)
    first = await make.job()
    clock.advance(1)
    await store.promote()

    assert [job_id for _ in range(2) for job_id in await make.claim_ids()] == [first, later]


async def test_promotion_is_fair_between_tenants(store: Store, make: Factory, clock: Clock) -> None:
    await make.jobs(50, delay_seconds=1)
    await make.jobs(5, delay_seconds=2, tenant=make.charlie)
    clock.advance(3)
    await store.promote()

    tenants = [lease.tenant_id for _ in range(10) for lease in await make.claim()]

    assert tenants.count(make.charlie) == 5


async def test_a_promoted_job_has_waited_since_its_time(store: Store, make: Factory, clock: Clock) -> None:
    job_id = await make.job(delay_seconds=10)
    due = clock.now() + timedelta(seconds=10)
    clock.advance(100)
    await store.promote()

    assert (await make.get(job_id)).scheduled_for == due
    assert (await store.summary(make.alice)).oldest_due_seconds == 90
