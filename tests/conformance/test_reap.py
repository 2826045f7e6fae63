from __future__ import annotations

from datetime import timedelta

from jobplane.core.model import Outcome
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import Factory, ended


async def test_a_lost_job_is_back_within_a_second_and_the_attempt_is_spent(
    store: Store, make: Factory, clock: Clock
) -> None:
    for dice in (0.0, 0.999):
        clock.load_dice(dice)
        lease = await make.lease(max_attempts=2)
        clock.advance(31)

        assert await store.reap() == 1

        job = await make.get(lease.job_id)
        assert (job.status, job.attempts, job.attempt_no) == ("queued", 1, 1)
        assert job.scheduled_for == clock.now() + timedelta(seconds=dice)
        [attempt] = await store.attempts(make.alice, lease.job_id)
        assert (attempt.outcome, attempt.reason, attempt.led_to) == (Outcome.LOST, "lease_expired", "queued")


async def test_a_lost_job_runs_again_on_another_worker(store: Store, make: Factory, clock: Clock) -> None:
    lease = await make.lease()
    clock.advance(31)
    await store.reap()
    clock.advance(1)

    again = await make.again(worker="w2")

    assert (again.job_id, again.attempt_no) == (lease.job_id, 2)
    assert again.token != lease.token


async def test_a_job_that_loses_its_last_attempt_is_buried(store: Store, make: Factory, clock: Clock) -> None:
    lease = await make.lease(max_attempts=1)
    clock.advance(31)
    await store.reap()

    job = await make.get(lease.job_id)

    assert (job.status, job.reason, job.finished_at) == ("dead_letter", "lease_expired", clock.now())


async def test_a_job_that_may_start_once_is_buried_though_it_is_not_known_to_have_begun(
    store: Store, make: Factory, clock: Clock
) -> None:
    """The renewal that says so may be what is missing."""
    ids = [await make.job(max_attempts=most) for most in (1, 2)]
    await store.claim_encoded("default", "w1", limit=2, lease_seconds=30)
    clock.advance(31)
    told = {each.job_id: (each.outcome, each.status) for each in await store.reap_all()}

    once, twice = [await make.get(job_id) for job_id in ids]

    assert told == {ids[0]: ("released", "dead_letter"), ids[1]: ("released", "queued")}
    assert (once.status, once.reason, once.attempts) == ("dead_letter", "lease_expired", 1)
    assert (twice.status, twice.attempts) == ("queued", 0)


async def test_a_lost_job_that_was_to_be_canceled_is_canceled(store: Store, make: Factory, clock: Clock) -> None:
    lease = await make.lease(max_attempts=5)
    await store.cancel(make.alice, [lease.job_id], reason="enough")
    clock.advance(31)
    await store.reap()

    job = await make.get(lease.job_id)

    assert (job.status, job.reason) == ("canceled", "enough")


async def test_only_what_has_expired_is_reaped(store: Store, make: Factory, clock: Clock) -> None:
    lease = await make.lease()
    clock.advance(30)
    assert await store.reap() == 0
    assert (await make.get(lease.job_id)).status == "running"

    clock.advance(0.001)

    assert await store.reap() == 1
    assert await store.reap() == 0


async def test_a_reap_takes_no_more_than_its_limit(store: Store, make: Factory, clock: Clock) -> None:
    await make.jobs(5)
    await make.claim(5)
    clock.advance(31)

    assert [await store.reap(limit=2) for _ in range(4)] == [2, 2, 1, 0]


async def test_a_reaped_jobs_keeps_its_place_in_every_limit(store: Store, make: Factory, clock: Clock) -> None:
    await make.define(max_running=2)
    await make.jobs(4)
    leases = await make.claim(4)
    clock.advance(31)
    await store.renew(leases[:1])
    await store.reap()

    assert len(await make.claim(4)) == 1
    assert (await store.settle([ended(leases[0])]))[0].accepted


async def test_what_waits_is_not_reaped(store: Store, make: Factory, clock: Clock) -> None:
    await make.jobs(3)
    clock.advance(86_400)

    assert await store.reap() == 0
