from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

from jobplane.core.model import Outcome
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import Factory, ended


async def test_a_released_job_is_back_at_once_and_has_spent_nothing(store: Store, make: Factory) -> None:
    lease = await make.lease(max_attempts=1)

    [answer] = await store.release([lease])

    job = await make.get(lease.job_id)
    assert (answer.accepted, answer.status) == (True, "queued")
    assert (job.status, job.attempts, job.attempt_no) == ("queued", 0, 1)
    again = await make.again()
    assert (again.attempt_no, again.attempts_left) == (2, 0)


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
    job_id = await make.job(max_attempts=1)
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
    job_id = await make.job(max_attempts=1)
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


async def test_no_leases_no_answers(store: Store, make: Factory) -> None:
    assert await store.release([]) == []
