from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest

from jobplane.core.errors import JobNotFound
from jobplane.core.model import Attempt, JobStatus, Outcome
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import Factory


async def failed(make: Factory, clock: Clock, n: int, **options: int) -> None:
    """A job with n failed attempts that is due again."""
    await make.job(max_attempts=n + 1)
    for _ in range(n):
        await make.settle(await make.again(), Outcome.FAILED)
        clock.advance(300)
    await make.store.promote()


async def test_an_attempt_tells_its_whole_story(store: Store, make: Factory, clock: Clock) -> None:
    job_id = await make.job()
    due = clock.now()
    clock.advance(1)
    [lease] = await make.claim(worker="host:1:boot")
    clock.advance(2)
    await make.settle(lease, Outcome.TIMEOUT, reason="deadline", error="too slow", exit_code=124, progress=0.5)

    assert await store.attempts(make.alice, job_id) == [
        Attempt(
            attempt_no=1,
            status="timeout",
            outcome=Outcome.TIMEOUT,
            worker_id="host:1:boot",
            scheduled_for=due,
            started_at=due + timedelta(seconds=1),
            finished_at=due + timedelta(seconds=3),
            exit_code=124,
            reason="deadline",
            error="too slow",
            progress=0.5,
            progress_message=None,
            led_to=JobStatus.QUEUED,
        )
    ]


async def test_the_running_attempt_is_the_newest(store: Store, make: Factory, clock: Clock) -> None:
    await failed(make, clock, 2)
    [lease] = await make.claim(worker="w2")

    attempts = await store.attempts(make.alice, lease.job_id)

    assert [(attempt.attempt_no, attempt.status) for attempt in attempts] == [
        (3, "running"),
        (2, "failed"),
        (1, "failed"),
    ]
    assert (attempts[0].worker_id, attempts[0].started_at) == ("w2", clock.now())
    assert (attempts[0].outcome, attempts[0].finished_at, attempts[0].led_to) == (None, None, None)


async def test_a_waiting_job_has_had_none(store: Store, make: Factory) -> None:
    assert await store.attempts(make.alice, await make.job()) == []


async def test_attempts_come_page_by_page(store: Store, make: Factory, clock: Clock) -> None:
    await failed(make, clock, 6)
    [lease] = await make.claim()
    pages: list[list[int]] = []
    before = None
    while page := await store.attempts(make.alice, lease.job_id, limit=3, before=before):
        pages.append([attempt.attempt_no for attempt in page])
        before = page[-1].attempt_no

    assert pages == [[7, 6, 5], [4, 3, 2], [1]]


async def test_a_job_that_is_not_there_is_an_error(store: Store, make: Factory) -> None:
    with pytest.raises(JobNotFound):
        await store.attempts(make.alice, uuid4())


async def test_charlie_sees_no_attempts_of_alices_job(store: Store, make: Factory) -> None:
    running = (await make.lease()).job_id
    for job_id in (running, await make.over("failed")):
        with pytest.raises(JobNotFound):
            await store.attempts(make.charlie, job_id)
