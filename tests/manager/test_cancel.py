from __future__ import annotations

from uuid import uuid4

import pytest

from jobplane.core.errors import JobNotFound
from tests.clock import START
from tests.manager.clocks import Hands
from tests.manager.hand import Desk


async def test_a_waiting_job_is_canceled_at_once(desk: Desk, clock: Hands) -> None:
    job = await desk.create()
    clock.advance(1)

    assert await desk.jm.cancel_job(job["id"], reason="user_request") is True

    over = await desk.job(job)
    assert (over["status"], over["cancelled_at"], over["cancellation_reason"]) == (
        "canceled",
        clock.now(),
        "user_request",
    )
    assert over["completed_at"] is None
    assert await desk.jm.acquire_next_job("chatbooks", "default", 60, "w1") is None


async def test_a_running_job_is_asked_to_stop(desk: Desk, clock: Hands) -> None:
    await desk.create()
    job = await desk.acquire()

    assert await desk.jm.cancel_job(str(job["id"]), "user_request") is True

    asked = await desk.job(job)
    assert (asked["status"], asked["cancel_requested_at"], asked["cancellation_reason"]) == (
        "running",
        START,
        "user_request",
    )
    assert asked["cancelled_at"] is None


async def test_the_worker_sees_the_request_at_its_next_renewal(desk: Desk) -> None:
    await desk.create()
    job = await desk.acquire()
    assert not (await desk.jm.renew_job_lease(job["id"], 60))["cancel_requested"]
    await desk.another().cancel_job(job["id"])

    assert (await desk.jm.renew_job_lease(job["id"], 60))["cancel_requested"]


async def test_a_success_that_came_first_counts(desk: Desk) -> None:
    await desk.create()
    job = await desk.acquire()
    await desk.jm.cancel_job(job["id"])

    assert await desk.jm.complete_job(job["id"], result={"n": 1}) == "succeeded"
    assert (await desk.job(job))["result"] == {"n": 1}


async def test_a_job_that_is_over_stays_as_it_is(desk: Desk) -> None:
    await desk.create()
    job = await desk.acquire()
    await desk.jm.complete_job(job["id"])
    before = await desk.job(job)

    assert await desk.jm.cancel_job(job["id"], "too late") is False
    assert await desk.job(job) == before


async def test_a_canceled_job_whose_lease_runs_out_is_not_queued_again(desk: Desk, clock: Hands) -> None:
    await desk.create()
    job = await desk.acquire("gone", 5)
    await desk.jm.cancel_job(job["id"], "user_request")
    clock.advance(6)
    await desk.upkeep()

    over = await desk.job(job)
    assert (over["status"], over["cancellation_reason"]) == ("canceled", "user_request")


async def test_a_job_that_never_was_cannot_be_canceled(desk: Desk) -> None:
    with pytest.raises(JobNotFound):
        await desk.jm.cancel_job(uuid4())


async def test_an_export_in_chunks_stops_between_two_of_them(desk: Desk) -> None:
    await desk.create()
    job = await desk.acquire()
    written: list[int] = []

    for chunk in range(5):
        if (await desk.jm.renew_job_lease(job["id"], 60, "w1", job["lease_id"]))["cancel_requested"]:
            await desk.jm.fail_job(job["id"], "w1", job["lease_id"], "canceled")
            break
        written.append(chunk)
        if chunk == 2:
            await desk.another().cancel_job(job["id"], "user_request")

    assert written == [0, 1, 2]
    assert (await desk.job(job))["status"] == "canceled"
