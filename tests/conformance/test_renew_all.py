from __future__ import annotations

from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from jobplane.core.errors import Invalid
from jobplane.core.leases import Lease, Renewal
from tests.client import Store, WorkerStore
from tests.clock import Clock
from tests.conformance.factory import Factory


async def take(worker_store: WorkerStore, n: int = 1) -> list[Lease]:
    tickets = (await worker_store.claim_encoded("default", "w1", limit=n, lease_seconds=30)).leases
    assert len(tickets) == n
    return tickets


async def test_what_is_renewed_is_not_answered(worker_store: WorkerStore, make: Factory, clock: Clock) -> None:
    ids = await make.jobs(3)
    tickets = await take(worker_store, 3)
    clock.advance(20)

    assert await worker_store.renew_all(tickets, lease_seconds=45) == []

    until = clock.now() + timedelta(seconds=45)
    assert [(await make.get(job_id)).lease_expires_at for job_id in ids] == [until] * 3


async def test_only_what_needs_something_is_answered(store: Store, worker_store: WorkerStore, make: Factory) -> None:
    ids = await make.jobs(4)
    tickets = await take(worker_store, 4)
    by_id = dict(zip(ids, sorted(tickets), strict=True))
    await store.cancel(make.alice, [ids[1]])
    await worker_store.settle_all([by_id[ids[2]]])

    answers = await worker_store.renew_all(tickets, lease_seconds=30)

    assert sorted(answers) == sorted([Renewal(by_id[ids[1]].seq, "cancel"), Renewal(by_id[ids[2]].seq, "gone")])


async def test_what_is_not_ours_is_gone_and_does_not_change(
    worker_store: WorkerStore, make: Factory, clock: Clock
) -> None:
    job_id = await make.job()
    [ticket] = await take(worker_store)
    before = await make.get(job_id)
    clock.advance(1)
    forged = [
        ticket._replace(token=uuid4()),
        ticket._replace(attempt_no=2),
        ticket._replace(seq=ticket.seq + 1000),
    ]

    answers = await worker_store.renew_all(
        forged, lease_seconds=30, begun=[ticket.seq], progress={ticket.seq: (0.5, "half")}
    )

    assert [answer.answer for answer in answers] == ["gone"] * 3
    assert await make.get(job_id) == before


async def test_progress_and_its_message_are_kept_until_the_next(worker_store: WorkerStore, make: Factory) -> None:
    ids = await make.jobs(2)
    tickets = sorted(await take(worker_store, 2))

    async def said(job_id: UUID) -> tuple[float | None, str | None]:
        job = await make.get(job_id)
        return job.progress, job.progress_message

    await worker_store.renew_all(tickets, lease_seconds=30, progress={tickets[0].seq: (0.25, "a \x00quarter")})
    await worker_store.renew_all(
        tickets, lease_seconds=30, progress={tickets[0].seq: (None, None), tickets[1].seq: (7.0, None)}
    )
    await worker_store.renew_all(tickets, lease_seconds=30)
    first, message = await said(ids[0])
    assert (first, message and message.replace("\ufffd", "")) == (0.25, "a quarter")
    assert await said(ids[1]) == (1.0, None)

    await worker_store.renew_all(tickets, lease_seconds=30, progress={tickets[0].seq: (float("nan"), "more")})

    assert await said(ids[0]) == (0.25, "more")


async def test_a_lease_that_has_begun_pays_when_it_is_reaped_and_another_does_not(
    store: Store, worker_store: WorkerStore, make: Factory, clock: Clock
) -> None:
    ids = await make.jobs(2, max_attempts=2)
    tickets = sorted(await take(worker_store, 2))
    await worker_store.renew_all(tickets, lease_seconds=30, begun=[tickets[0].seq])
    await worker_store.renew_all(tickets, lease_seconds=30)
    clock.advance(31)

    assert await store.reap() == 2

    begun, waited = [await make.get(job_id) for job_id in ids]
    assert (begun.status, begun.attempts) == ("queued", 1)
    assert (waited.status, waited.attempts, waited.scheduled_for) == ("queued", 0, clock.now())
    [attempt] = await store.attempts(make.alice, ids[1])
    assert (attempt.status, attempt.reason) == ("released", "lease_expired")


async def test_who_takes_worker_after_worker_down_is_buried(
    store: Store, worker_store: WorkerStore, make: Factory, clock: Clock
) -> None:
    """A refund has an end: a job may kill its machine before a renewal could say that it had begun."""
    job_id = await make.job(max_attempts=2)
    for _ in range(21):
        await take(worker_store)
        clock.advance(31)
        await store.reap()
        await store.promote()

    job = await make.get(job_id)

    assert (job.status, job.reason, job.attempt_no) == ("dead_letter", "interrupted", 21)


async def test_an_unbegun_lease_of_a_job_that_is_to_be_canceled_is_canceled(
    store: Store, worker_store: WorkerStore, make: Factory, clock: Clock
) -> None:
    job_id = await make.job()
    await take(worker_store)
    await store.cancel(make.alice, [job_id], reason="enough")
    clock.advance(31)
    await store.reap()

    assert (await make.get(job_id)).status == "canceled"


async def test_no_leases_no_answers(worker_store: WorkerStore, make: Factory) -> None:
    assert await worker_store.renew_all([], lease_seconds=30) == []


async def test_the_length_of_a_renewal_is_bounded(worker_store: WorkerStore, make: Factory) -> None:
    await make.job()
    tickets = await take(worker_store)

    for seconds in (0, 4, 3601):
        with pytest.raises(Invalid):
            await worker_store.renew_all(tickets, lease_seconds=seconds)
