from __future__ import annotations

from uuid import UUID, uuid4

import pytest

from jobplane.core.errors import Invalid
from jobplane.core.leases import Lease, Settled
from jobplane.core.model import Outcome
from tests.client import Store, WorkerStore
from tests.clock import Clock
from tests.conformance.factory import Factory
from tests.leases import end


async def take(worker_store: WorkerStore, n: int = 1) -> list[Lease]:
    """In the order of the jobs."""
    tickets = (await worker_store.claim_encoded("default", "w1", limit=n, lease_seconds=30)).leases
    assert len(tickets) == n
    return sorted(tickets)


async def status(make: Factory, *ids: UUID) -> list[str]:
    return [(await make.get(job_id)).status for job_id in ids]


async def test_a_ticket_alone_is_a_success(worker_store: WorkerStore, make: Factory) -> None:
    ids = await make.jobs(3)

    assert await worker_store.settle_all(await take(worker_store, 3)) == []

    assert await status(make, *ids) == ["succeeded"] * 3


async def test_each_end_leads_where_a_settlement_does(
    store: Store, worker_store: WorkerStore, make: Factory, clock: Clock
) -> None:
    ids = await make.jobs(7, max_attempts=1)
    tickets = await take(worker_store, 7)

    assert await worker_store.settle_all([
        tickets[0],
        end(tickets[1], result='{"n":[1,"ü"]}', progress=0.5),
        end(tickets[2], Outcome.FAILED, reason="boom", error="trace\x00back", exit_code=3),
        end(tickets[3], Outcome.FATAL, reason="never"),
        end(tickets[4], Outcome.RELEASED, reason="unstarted"),
        end(tickets[5], Outcome.RELEASED, reason="snooze", retry_after=60),
        end(tickets[6], Outcome.CANCELED),
    ]) == []  # fmt: skip

    assert await status(make, *ids) == [
        "succeeded", "succeeded", "dead_letter", "failed", "queued", "queued", "canceled",
    ]  # fmt: skip
    assert await store.result(make.alice, ids[1]) == {"n": [1, "ü"]}
    [attempt] = await store.attempts(make.alice, ids[2])
    assert (attempt.reason, attempt.exit_code, attempt.status) == ("boom", 3, "failed")
    assert (await store.attempts(make.alice, ids[1]))[0].progress == 0.5
    assert [(await make.get(ids[n])).attempts for n in (4, 5)] == [0, 0]


async def test_the_same_again_is_accepted_and_another_end_is_not(worker_store: WorkerStore, make: Factory) -> None:
    job_id = await make.job(max_attempts=5)
    [ticket] = await take(worker_store)
    await worker_store.settle_all([end(ticket, Outcome.FAILED)])

    assert await worker_store.settle_all([end(ticket, Outcome.FAILED)]) == []
    assert await worker_store.settle_all([ticket]) == [Settled(ticket.seq, 1, accepted=False, status="stale")]
    assert await status(make, job_id) == ["queued"]


async def test_a_success_after_the_reaper_does_not_count(
    store: Store, worker_store: WorkerStore, make: Factory, clock: Clock
) -> None:
    ids = await make.jobs(2)
    late, punctual = await take(worker_store, 2)
    clock.advance(31)
    await worker_store.renew_all([punctual], lease_seconds=30)
    await store.reap()

    assert await worker_store.settle_all([late, punctual]) == [Settled(late.seq, 1, accepted=False, status="stale")]

    assert await status(make, *ids) == ["queued", "succeeded"]


async def test_what_was_never_ours_changes_nothing(worker_store: WorkerStore, make: Factory) -> None:
    job_id = await make.job()
    [ticket] = await take(worker_store)
    forged = [ticket._replace(token=uuid4()), ticket._replace(attempt_no=9), ticket._replace(seq=ticket.seq + 99)]

    answers = await worker_store.settle_all(forged)

    assert [answer.accepted for answer in answers] == [False] * 3
    assert await status(make, job_id) == ["running"]


async def test_shutdowns_have_an_end(store: Store, worker_store: WorkerStore, make: Factory) -> None:
    job_id = await make.job()
    for _ in range(3):
        [ticket] = await take(worker_store)
        await worker_store.settle_all([end(ticket, Outcome.RELEASED, reason="shutdown")], max_interruptions=2)
        await store.promote()

    assert await status(make, job_id) == ["dead_letter"]


async def test_a_pause_that_cannot_be_is_refused(worker_store: WorkerStore, make: Factory) -> None:
    await make.job()
    [ticket] = await take(worker_store)

    for seconds in (-1.0, 1e9, float("nan")):
        with pytest.raises(Invalid):
            await worker_store.settle_all([end(ticket, Outcome.FAILED, retry_after=seconds)])


async def test_nothing_to_settle(worker_store: WorkerStore, make: Factory) -> None:
    assert await worker_store.settle_all([]) == []
