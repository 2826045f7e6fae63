"""What a job shows once it has ended: who ran it last, when it was queued and canceled, how far it came."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from jobplane.core.model import Job, JobFilter, Outcome
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import ENDS, Factory

MINUTE = timedelta(minutes=1)


async def shown(store: Store, make: Factory, job_id: UUID) -> Job:
    """One job as `get_jobs` and `list_jobs` show it: the same in both."""
    [listed] = [job for job in (await store.list_jobs(make.alice, JobFilter())).items if job.id == job_id]
    assert listed == await make.get(job_id)
    return listed


async def test_an_ended_job_shows_the_worker_of_its_last_attempt(store: Store, make: Factory, clock: Clock) -> None:
    lease = await make.lease(max_attempts=2)
    await make.settle(lease, Outcome.FAILED)
    assert (await shown(store, make, lease.job_id)).worker_id is None
    clock.advance(5)
    await make.settle(await make.again(worker="w2"), Outcome.FAILED)

    job = await shown(store, make, lease.job_id)

    assert (job.status, job.worker_id, job.lease_expires_at) == ("dead_letter", "w2", None)


async def test_every_ending_shows_its_worker(store: Store, make: Factory) -> None:
    ended = [await shown(store, make, await make.over(status)) for status in ENDS]

    assert [(job.status, job.worker_id) for job in ended] == [(status, "w1") for status in ENDS]


async def test_a_job_that_never_ran_shows_no_worker(store: Store, make: Factory) -> None:
    job_id = await make.job()
    await store.cancel(make.alice, [job_id])

    assert (await shown(store, make, job_id)).worker_id is None


async def test_a_job_that_waits_again_shows_no_worker(store: Store, make: Factory) -> None:
    job_id = await make.over("failed")
    await store.retry(make.alice, [job_id])

    assert (await shown(store, make, job_id)).worker_id is None


async def test_a_waiting_job_is_canceled_when_somebody_cancels_it(store: Store, make: Factory, clock: Clock) -> None:
    job_id = await make.job()
    clock.advance(7)
    await store.cancel(make.alice, [job_id])
    canceled = clock.now()
    clock.advance(7)

    job = await shown(store, make, job_id)

    assert (job.canceled_at, job.finished_at, job.cancel_requested_at) == (canceled, canceled, None)


async def test_a_running_job_is_canceled_when_its_attempt_ends(store: Store, make: Factory, clock: Clock) -> None:
    lease = await make.lease()
    asked = clock.now()
    await store.cancel(make.alice, [lease.job_id])
    running = await shown(store, make, lease.job_id)
    clock.advance(7)
    await make.settle(lease, Outcome.FAILED)

    job = await shown(store, make, lease.job_id)

    assert (running.cancel_requested_at, running.canceled_at) == (asked, None)
    assert (job.status, job.canceled_at, job.finished_at) == ("canceled", clock.now(), clock.now())


async def test_an_expired_job_is_canceled_when_it_expires(store: Store, make: Factory, clock: Clock) -> None:
    job_id = await make.job(expires_at=clock.now() + MINUTE)
    clock.advance(2 * MINUTE)
    await store.expire()

    assert (await shown(store, make, job_id)).canceled_at == clock.now()


async def test_a_job_that_ended_otherwise_or_waits_again_was_not_canceled(store: Store, make: Factory) -> None:
    others = [await make.over(status) for status in ENDS if status != "canceled"]
    again = await make.over("canceled")
    await store.retry(make.alice, [again])

    assert [(await shown(store, make, job_id)).canceled_at for job_id in [*others, again]] == [None] * 4


async def test_a_job_is_queued_when_it_is_enqueued(store: Store, make: Factory, clock: Clock) -> None:
    enqueued = clock.now()
    lease = await make.lease()
    clock.advance(7)
    await make.settle(lease, Outcome.SUCCEEDED)

    job = await shown(store, make, lease.job_id)

    assert (job.queued_at, job.created_at) == (enqueued, enqueued)


async def test_the_progress_of_a_succeeded_job_is_one(store: Store, make: Factory) -> None:
    told, silent = await make.lease(), await make.lease()
    await store.renew([told], progress=[0.5], messages=["halfway"])
    await make.settle(told, Outcome.SUCCEEDED)
    await make.settle(silent, Outcome.SUCCEEDED)

    jobs = [await shown(store, make, lease.job_id) for lease in (told, silent)]

    assert [(job.progress, job.progress_message) for job in jobs] == [(1, "halfway"), (1, None)]


async def test_the_progress_of_any_other_job_is_what_its_handler_said_last(store: Store, make: Factory) -> None:
    for outcome in (Outcome.FATAL, Outcome.FAILED, Outcome.CANCELED):
        lease = await make.lease(max_attempts=1)
        await make.settle(lease, outcome, progress=0.5)

        assert (await shown(store, make, lease.job_id)).progress == 0.5
