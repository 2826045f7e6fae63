from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from jobplane.core.errors import Invalid
from jobplane.core.model import JobStatus, Moved, Outcome
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import Factory


async def test_a_waiting_job_gets_another_time(store: Store, make: Factory, clock: Clock) -> None:
    job_id = await make.job()
    later = clock.now() + timedelta(hours=1)

    [moved] = await store.reschedule(make.alice, [job_id], at=later)

    assert moved == Moved(job_id, "queued", JobStatus.QUEUED)
    assert (await make.get(job_id)).scheduled_for == later
    assert await make.claim() == []
    clock.advance(3600)
    assert (await make.again()).job_id == job_id


async def test_a_job_can_be_brought_forward(store: Store, make: Factory, clock: Clock) -> None:
    job_id = await make.job(delay_seconds=3600)

    await store.reschedule(make.alice, [job_id], delay_seconds=0)

    assert (await make.get(job_id)).scheduled_for == clock.now()
    assert (await make.again()).job_id == job_id


async def test_a_delay_counts_from_the_stores_own_clock(store: Store, make: Factory, clock: Clock) -> None:
    job_id = await make.job()
    clock.advance(100)

    await store.reschedule(make.alice, [job_id], delay_seconds=2.5)

    assert (await make.get(job_id)).scheduled_for == clock.now() + timedelta(seconds=2.5)


async def test_a_job_between_two_attempts_keeps_its_budget(store: Store, make: Factory) -> None:
    lease = await make.lease(max_attempts=2)
    await make.settle(lease, Outcome.FAILED)

    await store.reschedule(make.alice, [lease.job_id], delay_seconds=0)

    again = await make.again()
    assert (again.attempt_no, again.attempts_left) == (2, 0)


async def test_a_held_job_can_be_put_off(store: Store, make: Factory, clock: Clock) -> None:
    job_id = await make.in_state("held")

    await store.reschedule(make.alice, [job_id], delay_seconds=60)

    job = await make.get(job_id)
    assert (job.held_by, job.scheduled_for) == (None, clock.now() + timedelta(seconds=60))


async def test_each_id_has_its_answer(store: Store, make: Factory) -> None:
    over, waits, nobody = await make.over("succeeded"), await make.job(), uuid4()

    answers = await store.reschedule(make.alice, [nobody, over, waits], delay_seconds=1)

    assert {moved.job_id: (moved.outcome, moved.status) for moved in answers} == {
        nobody: ("not_found", None),
        over: ("illegal_move", "succeeded"),
        waits: ("queued", "queued"),
    }
    assert await store.reschedule(make.alice, [], delay_seconds=1) == []


async def test_a_time_that_cannot_be_is_refused(store: Store, make: Factory) -> None:
    job_id = await make.job()
    before = await make.get(job_id)

    for at in (datetime(1999, 12, 31, tzinfo=UTC), datetime.max.replace(tzinfo=UTC), datetime(2026, 2, 1)):  # noqa: DTZ001
        with pytest.raises(Invalid):
            await store.reschedule(make.alice, [job_id], at=at)
    for delay in (-1.0, float("nan"), float("inf"), 3_153_600_001.0):
        with pytest.raises(Invalid):
            await store.reschedule(make.alice, [job_id], delay_seconds=delay)

    assert await make.get(job_id) == before


async def test_charlie_cannot_move_alices_job(store: Store, make: Factory) -> None:
    job_id = await make.job()
    before = await make.get(job_id)

    assert await store.reschedule(make.charlie, [job_id], delay_seconds=60) == [Moved(job_id, "not_found", None)]
    assert await make.get(job_id) == before
