from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest

from jobplane.core.errors import Invalid
from jobplane.core.model import JobStatus, Moved, Outcome
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import Factory

RETRIED = ("failed", "dead_letter", "canceled")


async def test_an_ended_job_has_a_fresh_budget_and_counts_on(store: Store, make: Factory, clock: Clock) -> None:
    for status in RETRIED:
        job_id = await make.over(status, max_attempts=2) if status != "dead_letter" else await make.over(status)
        clock.advance(60)

        [moved] = await store.retry(make.alice, [job_id])

        job = await make.get(job_id)
        assert moved == Moved(job_id, "queued", JobStatus.QUEUED)
        assert (job.attempts, job.attempt_no, job.finished_at, job.reason) == (0, 1, None, None)
        assert job.scheduled_for == clock.now()
        lease = await make.again()
        assert (lease.job_id, lease.attempt_no, lease.attempts_left) == (job_id, 2, job.max_attempts - 1)
        await make.settle(lease, Outcome.SUCCEEDED)


async def test_the_attempts_of_both_lives_are_on_record(store: Store, make: Factory, clock: Clock) -> None:
    job_id = await make.job(max_attempts=2)
    for life in range(2):
        for _ in range(2):
            await make.settle(await make.again(), Outcome.FAILED)
            clock.advance(300)
        assert (await make.get(job_id)).status == "dead_letter"
        if life == 0:
            await store.retry(make.alice, [job_id])

    assert [attempt.attempt_no for attempt in await store.attempts(make.alice, job_id)] == [4, 3, 2, 1]


async def test_a_retry_may_raise_the_budget(store: Store, make: Factory) -> None:
    job_id = await make.over("dead_letter")

    await store.retry(make.alice, [job_id], max_attempts=5)

    assert (await make.get(job_id)).max_attempts == 5
    assert (await make.again()).attempts_left == 4


async def test_a_job_that_was_canceled_before_it_ran_starts_at_its_first_attempt(store: Store, make: Factory) -> None:
    job_id = await make.job(delay_seconds=3600)
    await store.cancel(make.alice, [job_id])
    await store.retry(make.alice, [job_id])

    assert (await make.again()).attempt_no == 1


async def test_an_expired_job_that_is_retried_does_not_expire_again(store: Store, make: Factory, clock: Clock) -> None:
    job_id = await make.job(expires_at=clock.now() + timedelta(seconds=1))
    clock.advance(1)
    await store.expire()
    await store.retry(make.alice, [job_id])
    clock.advance(1)
    await store.expire()

    assert (await make.again()).job_id == job_id


async def test_a_retry_is_refused_where_another_job_has_the_dedupe_key_now(store: Store, make: Factory) -> None:
    job_id = await make.over("failed", dedupe_key="k")
    twin = await make.job(dedupe_key="k")
    before = await make.get(job_id)

    [moved] = await store.retry(make.alice, [job_id])

    assert moved == Moved(job_id, "duplicate_job", JobStatus.FAILED)
    assert await make.get(job_id) == before
    await store.cancel(make.alice, [twin])
    assert (await store.retry(make.alice, [job_id]))[0].outcome == "queued"


async def test_a_retried_job_holds_its_dedupe_key_again(store: Store, make: Factory) -> None:
    job_id = await make.over("failed", dedupe_key="k")
    twin = await make.over("canceled", dedupe_key="k")

    answers = await store.retry(make.alice, [job_id, twin])

    outcomes = {moved.job_id: moved.outcome for moved in answers}
    assert sorted(outcomes.values()) == ["duplicate_job", "queued"]


async def test_a_job_of_an_inactive_definition_is_not_retried(store: Store, make: Factory) -> None:
    job_id = await make.over("failed")
    await make.define(active=False)

    [moved] = await store.retry(make.alice, [job_id])

    assert moved == Moved(job_id, "definition_inactive", JobStatus.FAILED)


async def test_a_retry_needs_room_as_an_enqueue_does(store: Store, make: Factory) -> None:
    job_ids = [await make.over("failed"), await make.over("canceled")]
    await store.set_tenant(make.alice, {"max_pending": 1})

    answers = await store.retry(make.alice, job_ids)

    assert sorted(moved.outcome for moved in answers) == ["queued", "quota_exceeded"]


async def test_an_id_that_is_not_there_is_said_to_be(store: Store, make: Factory) -> None:
    job_id, nobody = await make.over("failed"), uuid4()

    answers = await store.retry(make.alice, [nobody, job_id])

    assert {moved.job_id: moved.outcome for moved in answers} == {nobody: "not_found", job_id: "queued"}
    assert await store.retry(make.alice, []) == []


async def test_a_budget_that_cannot_be_is_refused(store: Store, make: Factory) -> None:
    job_id = await make.over("failed")

    for budget in (0, -1, 1001, 2**31):
        with pytest.raises(Invalid):
            await store.retry(make.alice, [job_id], max_attempts=budget)

    assert (await make.get(job_id)).status == "failed"


async def test_charlie_cannot_retry_alices_job(store: Store, make: Factory) -> None:
    job_id = await make.over("failed")

    [moved] = await store.retry(make.charlie, [job_id])

    assert moved == Moved(job_id, "not_found", None)
    assert (await make.get(job_id)).status == "failed"
