from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest

from jobplane.core.errors import Invalid
from jobplane.core.model import Outcome
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import Factory


async def test_a_renewed_lease_ends_later(store: Store, make: Factory, clock: Clock) -> None:
    lease = await make.lease()
    clock.advance(20)

    [answer] = await store.renew([lease], lease_seconds=45)

    until = clock.now() + timedelta(seconds=45)
    assert (answer.seq, answer.answer, answer.lease_expires_at) == (lease.seq, "renewed", until)
    assert (await make.get(lease.job_id)).lease_expires_at == until


async def test_a_renewed_job_is_not_reaped(store: Store, make: Factory, clock: Clock) -> None:
    lease = await make.lease()
    for _ in range(5):
        clock.advance(25)
        await store.renew([lease])
        assert await store.reap() == 0

    assert (await make.settle(lease, Outcome.SUCCEEDED)).accepted


async def test_an_expired_lease_can_be_renewed_until_it_is_reaped(store: Store, make: Factory, clock: Clock) -> None:
    lease = await make.lease()
    clock.advance(300)
    assert (await store.renew([lease]))[0].answer == "renewed"

    clock.advance(31)
    await store.reap()
    assert (await store.renew([lease]))[0].answer == "gone"


async def test_a_renewal_tells_which_jobs_are_to_be_canceled(store: Store, make: Factory) -> None:
    await make.jobs(3)
    leases = await make.claim(3)
    await store.cancel(make.alice, [leases[1].job_id])

    answers = {answer.seq: answer.answer for answer in await store.renew(leases)}

    assert [answers[lease.seq] for lease in leases] == ["renewed", "cancel", "renewed"]


async def test_a_job_that_is_to_be_canceled_keeps_its_lease(store: Store, make: Factory, clock: Clock) -> None:
    lease = await make.lease()
    await store.cancel(make.alice, [lease.job_id])
    clock.advance(20)

    [answer] = await store.renew([lease])

    assert answer.lease_expires_at == clock.now() + timedelta(seconds=30)


async def test_what_is_no_longer_ours_is_gone_and_does_not_change(store: Store, make: Factory, clock: Clock) -> None:
    lease = await make.lease()
    over = await make.lease()
    await make.settle(over, Outcome.SUCCEEDED)
    before = await make.get(lease.job_id)
    clock.advance(1)
    forged = [
        lease._replace(token=uuid4()),
        lease._replace(attempt_no=2),
        lease._replace(seq=lease.seq + 1000),
        over,
    ]

    answers = await store.renew(forged, progress=[0.5] * 4)

    assert [(answer.answer, answer.lease_expires_at) for answer in answers] == [("gone", None)] * 4
    assert await make.get(lease.job_id) == before


async def test_gone_leases_do_not_sink_the_others(store: Store, make: Factory) -> None:
    await make.jobs(3)
    leases = await make.claim(3)
    await make.settle(leases[0], Outcome.SUCCEEDED)

    answers = {answer.seq: answer.answer for answer in await store.renew(leases)}

    assert answers == {leases[0].seq: "gone", leases[1].seq: "renewed", leases[2].seq: "renewed"}


async def test_progress_is_kept_until_the_next(store: Store, make: Factory) -> None:
    lease = await make.lease()
    await store.renew([lease], progress=[0.25])
    await store.renew([lease], progress=[None])
    await store.renew([lease])
    assert (await make.get(lease.job_id)).progress == 0.25

    await store.renew([lease], progress=[0.75])

    assert (await make.get(lease.job_id)).progress == 0.75
    assert (await store.attempts(make.alice, lease.job_id))[0].progress == 0.75


async def test_a_message_stands_beside_the_progress_and_each_stays_without_the_other(
    store: Store, make: Factory
) -> None:
    lease, other = await make.lease(), await make.lease()

    await store.renew([lease, other], progress=[0.25, None], messages=["first\x00\ud800", None])
    await store.renew([lease], progress=[0.5])
    await store.renew([other], messages=["alone"])

    jobs = [await make.get(each.job_id) for each in (lease, other)]
    assert [(job.progress, job.progress_message) for job in jobs] == [(0.5, "first\ufffd?"), (None, "alone")]


async def test_no_leases_no_answers(store: Store, make: Factory) -> None:
    assert await store.renew([]) == []


async def test_the_length_of_a_renewal_is_bounded(store: Store, make: Factory, clock: Clock) -> None:
    lease = await make.lease()

    for seconds in (0, 4, 3601, 2**31):
        with pytest.raises(Invalid):
            await store.renew([lease], lease_seconds=seconds)

    assert (await make.get(lease.job_id)).lease_expires_at == clock.now() + timedelta(seconds=30)
