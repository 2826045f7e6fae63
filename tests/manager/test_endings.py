from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from jobplane.core.errors import Invalid, StaleLease
from jobplane.core.model import DEFAULT_TENANT, JobStatus
from tests.clock import START
from tests.manager.clocks import Hands
from tests.manager.hand import Desk


async def test_a_completed_job_has_its_result(desk: Desk, clock: Hands) -> None:
    await desk.create()
    job = await desk.acquire()
    clock.advance(7)

    status = await desk.jm.complete_job(
        job["id"], worker_id="w1", lease_id=job["lease_id"], result={"file": "/path/to/archive"}
    )

    assert status is JobStatus.SUCCEEDED
    done = await desk.job(job)
    assert (done["status"], done["result"]) == ("succeeded", {"file": "/path/to/archive"})
    assert (done["acquired_at"], done["completed_at"]) == (START, START + timedelta(seconds=7))
    assert (done["leased_until"], done["lease_id"], done["worker_id"]) == (None, None, "w1")
    assert done["updated_at"] == done["completed_at"]


async def test_a_failed_job_waits_for_its_next_attempt(desk: Desk, clock: Hands) -> None:
    await desk.create()
    job = await desk.acquire()

    status = await desk.jm.fail_job(
        job["id"], worker_id="w1", lease_id=job["lease_id"], error="disk full", retryable=True
    )

    assert status == "queued"
    waiting = await desk.job(job)
    assert (waiting["status"], waiting["error_message"], waiting["last_error"]) == ("queued", "disk full", "disk full")
    assert START + timedelta(seconds=2.5) <= waiting["available_at"] <= START + timedelta(seconds=5)
    assert (waiting["leased_until"], waiting["acquired_at"], waiting["completed_at"]) == (None, None, None)


async def test_an_error_is_told_until_an_attempt_succeeds(desk: Desk, clock: Hands) -> None:
    await desk.create()
    job = await desk.acquire()
    await desk.jm.fail_job(job["id"], error="disk full")
    clock.advance(10)
    await desk.upkeep()

    again = await desk.acquire()
    await desk.jm.complete_job(again["id"])

    assert (again["last_error"], again["retry_count"]) == ("disk full", 1)
    assert (await desk.job(job))["last_error"] is None
    assert [attempt.error for attempt in await desk.store.attempts(DEFAULT_TENANT, job["id"])] == [None, "disk full"]


async def test_a_failure_that_no_retry_can_help_is_final(desk: Desk) -> None:
    await desk.create()
    job = await desk.acquire()

    assert await desk.jm.fail_job(job["id"], error="no such user", retryable=False) == "failed"

    ended = await desk.job(job)
    assert (ended["status"], ended["error_message"], ended["retry_count"]) == ("failed", "no such user", 0)
    assert ended["completed_at"] is not None


async def test_another_process_may_end_the_job_with_the_lease_id(desk: Desk) -> None:
    await desk.create()
    job = await desk.acquire()
    elsewhere = desk.another()

    with pytest.raises(StaleLease, match="Pass the lease_id"):
        await elsewhere.complete_job(job["id"])
    assert await elsewhere.complete_job(job["id"], "w1", job["lease_id"], {"n": 1}) == "succeeded"


async def test_arguments_come_in_the_order_job_worker_lease_outcome(desk: Desk) -> None:
    for _ in range(3):
        await desk.create()
    done, failed, waiting = [await desk.acquire() for _ in range(3)]

    await desk.jm.complete_job(done["id"], "w1", done["lease_id"], {"n": 1})
    await desk.jm.fail_job(failed["id"], "w1", failed["lease_id"], "no such user", False)
    await desk.jm.fail_job(waiting["id"], "w1", waiting["lease_id"])

    assert (await desk.job(done))["result"] == {"n": 1}
    ended, again = await desk.job(failed), await desk.job(waiting)
    assert (ended["status"], ended["last_error"]) == ("failed", "no such user")
    assert (again["status"], again["last_error"]) == ("queued", None)


async def test_an_outcome_in_the_place_of_the_worker_is_refused_with_the_order(desk: Desk) -> None:
    await desk.create()
    job = await desk.acquire()
    misplaced: Any = {"n": 1}

    with pytest.raises(Invalid, match="Pass job_id, worker_id, lease_id, result to complete_job in this order"):
        await desk.jm.complete_job(job["id"], misplaced)
    with pytest.raises(Invalid, match="Pass job_id, worker_id, lease_id, error, retryable to fail_job in this order"):
        await desk.jm.fail_job(job["id"], "w1", misplaced)
    with pytest.raises(StaleLease, match='not held by worker "boom"'):
        await desk.jm.fail_job(job["id"], "boom")
    assert (await desk.job(job))["status"] == "running"


async def test_the_manager_remembers_the_lease_for_who_passes_none(desk: Desk) -> None:
    await desk.create()
    await desk.create()
    first, second = await desk.acquire(), await desk.acquire()

    assert await desk.jm.complete_job(str(first["id"])) == "succeeded"
    assert await desk.jm.fail_job(second["id"], error="boom", retryable=False) == "failed"


async def test_the_same_call_again_answers_the_same(desk: Desk, clock: Hands) -> None:
    for _ in range(2):
        await desk.create()
    done, failed = await desk.acquire(), await desk.acquire()

    for jm in (desk.jm, desk.jm, desk.another()):
        assert await jm.complete_job(done["id"], "w1", done["lease_id"], {"n": 1}) == "succeeded"
        assert await jm.fail_job(failed["id"], "w1", failed["lease_id"], "boom", True) == "queued"
    assert len(await desk.store.attempts(DEFAULT_TENANT, failed["id"])) == 1


async def test_a_wrong_worker_or_lease_changes_nothing(desk: Desk) -> None:
    await desk.create()
    await desk.create()
    job, other = await desk.acquire("w1"), await desk.acquire("w1")

    for worker_id, lease_id in (("w2", job["lease_id"]), ("w2", None), (None, other["lease_id"]), ("w1", "nonsense")):
        with pytest.raises(StaleLease):
            await desk.jm.complete_job(job["id"], worker_id, lease_id)
        with pytest.raises(StaleLease):
            await desk.jm.fail_job(job["id"], worker_id, lease_id, "boom")

    assert (await desk.job(job))["status"] == "running"
    assert (await desk.job(other))["status"] == "running"


async def test_a_job_that_died_with_its_workers_says_why(desk: Desk, clock: Hands) -> None:
    await desk.create(max_retries=0)
    job = await desk.acquire("gone", 5)
    clock.advance(6)
    await desk.upkeep()

    dead = await desk.job(job)
    assert (dead["status"], dead["error_message"]) == ("dead_letter", "lease_expired")


async def test_a_job_that_waits_again_was_updated_at_its_failure(desk: Desk, clock: Hands) -> None:
    await desk.create()
    first = await desk.acquire()
    clock.advance(10)
    await desk.jm.fail_job(first["id"], error="boom")
    failed_at = clock.now()
    waiting = await desk.job(first)
    clock.advance(600)
    await desk.upkeep()
    second = await desk.acquire()
    clock.advance(10)
    await desk.jm.renew_job_lease(second["id"], 60)

    assert waiting["updated_at"] == failed_at
    assert second["updated_at"] == second["acquired_at"]
    assert (await desk.job(second))["updated_at"] == clock.now()
