from __future__ import annotations

from datetime import timedelta
from typing import Final
from uuid import uuid4

import pytest

from jobplane.core.model import Outcome
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import Factory, ended, new

BURYING: Final = ("suspect", "neighbour", "shutdown", "lost_contact", "lease_expired")


async def test_a_released_job_is_back_at_once_and_has_spent_nothing(store: Store, make: Factory) -> None:
    lease = await make.lease(max_attempts=2)

    [answer] = await store.release([lease])

    job = await make.get(lease.job_id)
    assert (answer.accepted, answer.status) == (True, "queued")
    assert (job.status, job.attempts, job.attempt_no) == ("queued", 0, 1)
    again = await make.again()
    assert (again.attempt_no, again.attempts_left) == (2, 1)


@pytest.mark.parametrize("reason", BURYING)
async def test_a_job_that_may_start_once_is_buried_by_a_release_that_may_follow_a_start(
    store: Store, make: Factory, reason: str
) -> None:
    lease = await make.lease(max_attempts=1, dedupe_key="k")

    answer = await make.settle(lease, Outcome.RELEASED, reason=reason, error="killed by signal 9")

    job = await make.get(lease.job_id)
    [attempt] = await store.attempts(make.alice, lease.job_id)
    assert (answer.accepted, answer.status) == (True, "dead_letter")
    assert (job.status, job.reason, job.error) == ("dead_letter", reason, "killed by signal 9")
    assert (job.attempts, job.max_attempts) == (1, 1)
    assert (attempt.outcome, attempt.reason, attempt.led_to) == (Outcome.RELEASED, reason, "dead_letter")
    assert attempt.error == "killed by signal 9"
    assert await make.settle(lease, Outcome.RELEASED, reason=reason) == answer
    assert (await make.enqueue(new(dedupe_key="k")))[0].created, "its dedupe key is free"


@pytest.mark.parametrize("reason", ["unstarted", "snooze"])
async def test_a_job_that_may_start_once_waits_again_where_it_did_not_start_or_asked_for_it(
    store: Store, make: Factory, reason: str
) -> None:
    job_id = await make.job(max_attempts=1)
    for _ in range(3):
        [answer] = await store.release([await make.again()], reason=reason)
        assert answer.status == "queued"

    assert (await make.get(job_id)).attempts == 0


async def test_a_person_gives_a_buried_job_one_more_start(store: Store, make: Factory) -> None:
    lease = await make.lease(max_attempts=1)
    await store.release([lease], reason="neighbour")

    [moved] = await store.retry(make.alice, [lease.job_id])
    again = await make.again()
    [answer] = await store.release([again])

    assert (moved.outcome, again.attempt_no, again.attempts_left) == ("queued", 2, 0)
    job = await make.get(lease.job_id)
    assert (answer.status, job.status, job.reason) == ("dead_letter", "dead_letter", "shutdown")


async def test_a_job_that_may_start_once_and_was_to_be_canceled_is_canceled(store: Store, make: Factory) -> None:
    lease = await make.lease(max_attempts=1)
    await store.cancel(make.alice, [lease.job_id])

    [answer] = await store.release([lease])

    assert answer.status == "canceled"


async def test_the_last_of_several_attempts_is_refunded(store: Store, make: Factory, clock: Clock) -> None:
    lease = await make.lease(max_attempts=2)
    await make.settle(lease, Outcome.FAILED)
    clock.advance(60)

    [answer] = await store.release([await make.again()])

    assert (answer.status, (await make.get(lease.job_id)).attempts) == ("queued", 1)


async def test_a_release_stands_among_the_attempts(store: Store, make: Factory) -> None:
    lease = await make.lease()
    await store.release([lease], reason="shutdown")

    [attempt] = await store.attempts(make.alice, lease.job_id)

    assert (attempt.status, attempt.outcome, attempt.reason) == ("released", Outcome.RELEASED, "shutdown")


async def test_a_snooze_comes_back_after_its_time(store: Store, make: Factory, clock: Clock) -> None:
    lease = await make.lease()

    await store.release([lease], reason="snooze", after=90.5)

    assert (await make.get(lease.job_id)).scheduled_for == clock.now() + timedelta(seconds=90.5)


async def test_one_shutdown_too_many_buries_the_job_as_interrupted(store: Store, make: Factory) -> None:
    job_id = await make.job(max_attempts=2)
    for _ in range(20):
        [answer] = await store.release([await make.again()])
        assert answer.status == "queued"

    [answer] = await store.release([await make.again()])

    job = await make.get(job_id)
    assert (answer.status, job.status, job.reason) == ("dead_letter", "dead_letter", "interrupted")


async def test_how_many_shutdowns_are_too_many_is_the_workers_choice(store: Store, make: Factory) -> None:
    await make.job()
    found: list[str] = []
    for _ in range(3):
        settlement = ended(await make.again(), Outcome.RELEASED, reason="shutdown")
        found += [answer.status for answer in await store.settle([settlement], max_interruptions=2)]

    assert found == ["queued", "queued", "dead_letter"]


async def test_only_shutdowns_are_interruptions(store: Store, make: Factory) -> None:
    job_id = await make.job(max_attempts=2)
    for reason in ("snooze", "suspect", "unstarted") * 8:
        [answer] = await store.release([await make.again()], reason=reason)
        assert answer.status == "queued"
    [answer] = await store.release([await make.again()])

    assert answer.status == "queued"
    assert (await make.get(job_id)).attempts == 0


async def test_a_retry_forgets_the_interruptions(store: Store, make: Factory) -> None:
    job_id = await make.job()
    shutdown = ended(await make.again(), Outcome.RELEASED, reason="shutdown")
    await store.settle([shutdown], max_interruptions=0)
    await store.retry(make.alice, [job_id])

    [answer] = await store.settle([ended(await make.again(), Outcome.RELEASED, reason="shutdown")], max_interruptions=1)

    assert answer.status == "queued"


async def test_a_released_job_that_was_to_be_canceled_is_canceled(store: Store, make: Factory) -> None:
    lease = await make.lease()
    await store.cancel(make.alice, [lease.job_id], reason="changed my mind")

    [answer] = await store.release([lease])

    assert answer.status == "canceled"
    assert (await make.get(lease.job_id)).reason == "changed my mind"


async def test_a_lease_that_is_not_ours_is_not_released(store: Store, make: Factory) -> None:
    lease = await make.lease()

    [answer] = await store.release([lease._replace(token=uuid4())])

    assert (answer.accepted, answer.status) == (False, "stale")
    assert (await make.get(lease.job_id)).status == "running"


async def test_a_repeated_release_gets_the_same_answer(store: Store, make: Factory) -> None:
    lease = await make.lease()

    assert await store.release([lease]) == await store.release([lease])
    assert len(await store.attempts(make.alice, lease.job_id)) == 1


@pytest.mark.parametrize("max_attempts", [1, 2])
async def test_a_release_that_comes_after_the_reaper_is_refused(
    store: Store, make: Factory, clock: Clock, max_attempts: int
) -> None:
    """Also where the reaper itself released the lease, because no handler was known to have begun."""
    await make.job(max_attempts=max_attempts)
    claimed = await store.claim_encoded("default", "w1", limit=1, lease_seconds=30)
    clock.advance(31)
    assert await store.reap() == 1
    [lease] = claimed.leases

    for reason in BURYING[:4]:
        [answer] = await store.release([lease], reason=reason)
        assert (answer.accepted, answer.status) == (False, "stale")


async def test_no_leases_no_answers(store: Store, make: Factory) -> None:
    assert await store.release([]) == []
