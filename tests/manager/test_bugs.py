"""What the design that the manager follows got wrong, each shown not to be so here."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import timedelta, timezone
from pathlib import Path

import pytest

from jobplane.api.manager import JobManager
from jobplane.api.manager.holding import Holding
from jobplane.core.errors import Invalid, StaleLease
from jobplane.core.model import DEFAULT_TENANT
from tests.clock import START
from tests.manager.clocks import Hands
from tests.manager.hand import EXPORT, Desk


async def test_an_end_is_the_end(desk: Desk, clock: Hands) -> None:
    """B-04: a fail after a complete made a completed job run again, and a stale worker completed another's job."""
    await desk.create()
    job = await desk.acquire("w1", 5)
    await desk.jm.complete_job(job["id"], "w1", job["lease_id"], {"n": 1})

    with pytest.raises(StaleLease):
        await desk.jm.fail_job(job["id"], "w1", job["lease_id"], "boom", True)
    assert (await desk.job(job))["status"] == "succeeded"


async def test_a_stale_worker_changes_nothing(desk: Desk, clock: Hands) -> None:
    """B-04: the second half, a job that another worker runs by now, even under the same worker's name."""
    await desk.create()
    stale = await desk.acquire("w1", 5)
    clock.advance(6)
    await desk.upkeep()
    clock.advance(1)
    await desk.upkeep()
    current = await desk.acquire("w1", 60)
    assert current["id"] == stale["id"]

    for end in (desk.jm.complete_job, desk.another().complete_job):
        with pytest.raises(StaleLease):
            await end(stale["id"], "w1", stale["lease_id"], {"from": "the dead"})
    with pytest.raises(StaleLease):
        await desk.jm.renew_job_lease(stale["id"], 60, "w1", stale["lease_id"])

    assert (await desk.job(current))["status"] == "running"
    assert await desk.jm.complete_job(current["id"], "w1", current["lease_id"]) == "succeeded"


@pytest.mark.parametrize("max_retries", [0, 1, 3])
async def test_retries_are_as_many_as_asked_for(desk: Desk, clock: Hands, max_retries: int) -> None:
    """B-06: max_retries gave one retry less, so that 1 gave none; 3 are four attempts, 0 is one."""
    job = await desk.create(max_retries=max_retries)
    counts: list[int] = []
    status = "queued"
    while status == "queued":
        clock.advance(400)
        await desk.upkeep()
        counts.append((await desk.acquire())["retry_count"])
        status = await desk.jm.fail_job(job["id"], error="boom")

    assert counts == list(range(max_retries + 1))
    assert status == "dead_letter"
    assert (await desk.job(job))["retry_count"] == max_retries


async def test_a_crashed_workers_job_runs_again(desk: Desk, clock: Hands) -> None:
    """B-07: what ran when its worker died was counted as stale and never acquired again."""
    job = await desk.create()
    await desk.acquire("crashed", 5)
    clock.advance(6)
    assert await desk.another().acquire_next_job("chatbooks", "default", 60, "next") is None
    clock.advance(1)

    again = await desk.another().acquire_next_job("chatbooks", "default", 60, "next")

    assert again is not None
    assert (again["id"], again["retry_count"], again["worker_id"]) == (job["id"], 1, "next")


async def test_a_retry_waits_for_its_own_time_and_not_for_the_old_lease(desk: Desk, clock: Hands) -> None:
    """B-09: a requeued job kept its leased_until, and was not acquired before that had passed."""
    await desk.create()
    job = await desk.acquire("w1", 3600)
    await desk.jm.fail_job(job["id"], error="boom")
    clock.advance((await desk.job(job))["available_at"] - clock.now())
    await desk.upkeep()

    again = await desk.acquire("w2")

    assert again["id"] == job["id"]
    assert clock.now() < START + timedelta(seconds=6)


async def test_what_an_acquire_answers_is_what_it_leased(desk: Desk) -> None:
    """B-12: the acquire looked for its job again after it had leased it, and would have found the next one."""
    made = [await desk.create(payload={"n": n}) for n in range(3)]

    for n, job in enumerate(made):
        got = await desk.acquire()
        assert (got["id"], got["payload"], got["status"]) == (job["id"], {"n": n}, "running")


async def test_a_time_is_an_instant_whatever_its_zone_and_to_the_microsecond(desk: Desk, clock: Hands) -> None:
    """B-15: times were compared as text in two formats, so that a due job looked not due; seconds were lost."""
    at = START + timedelta(seconds=10, microseconds=250_001)
    job = await desk.jm.schedule_job(**EXPORT, available_at=at.astimezone(timezone(timedelta(hours=-7))))
    clock.advance(timedelta(seconds=10, microseconds=250_000))
    await desk.upkeep()
    early = await desk.jm.acquire_next_job("chatbooks", "default", 60, "w1")
    clock.advance(timedelta(microseconds=1))
    await desk.upkeep()

    due = await desk.acquire()

    assert job["available_at"] == due["available_at"] == at
    assert early is None
    assert due["id"] == job["id"]


async def test_an_id_is_never_another_jobs(desk: Desk) -> None:
    """B-16: ids were row numbers that came again; here they are UUIDs, and a lease names its job and attempt."""
    first = await desk.create()
    leased = await desk.acquire()
    second = await desk.create()
    await desk.acquire("w2")

    with pytest.raises(Invalid, match="UUID"):
        await desk.jm.get_job(1)  # pyright: ignore[reportArgumentType] a row number is no id
    with pytest.raises(StaleLease):
        await desk.jm.complete_job(second["id"], "w1", leased["lease_id"])
    assert leased["id"] == first["id"] != second["id"]


def test_the_number_of_a_deleted_job_never_comes_again(tmp_path: Path) -> None:
    """B-16: SQLite gave the number of a deleted row to the next one, and a stale worker ended that."""
    url = f"sqlite:///{tmp_path / 'jobs.db'}"
    with JobManager.connect(url) as jm:
        jm.create_job(**EXPORT)
        stale = leased(jm)
        jm.complete_job(stale.job_id)
    with closing(sqlite3.connect(tmp_path / "jobs.db", isolation_level=None)) as file:
        for table in tables_of_jobs(file):
            file.execute(f"delete from {table}")

    with JobManager.connect(url) as jm:
        jm.create_job(**EXPORT)

        assert leased(jm).lease.seq > stale.lease.seq


def leased(jm: JobManager) -> Holding:
    job = jm.acquire_next_job("chatbooks", "default", 60, "w1")
    held = Holding.read(str(job and job["lease_id"]))
    assert held is not None
    return held


def tables_of_jobs(file: sqlite3.Connection) -> list[str]:
    """Not SQLite's own table of the numbers that it has given."""
    tables = "select name from sqlite_schema where type = 'table' and name like 'jobplane!_%' escape '!'"
    found = file.execute(f"select t.name from ({tables}) t, pragma_table_info(t.name) c where c.name = 'seq'")
    return [name for (name,) in found]


async def test_a_canceled_job_that_fails_fast_is_canceled(desk: Desk) -> None:
    """B-35: the worker saw the request, failed the job as retryable, and it was queued again."""
    await desk.create()
    job = await desk.acquire()
    await desk.jm.cancel_job(job["id"], "user_request")
    assert (await desk.job(job))["cancel_requested_at"]

    assert await desk.jm.fail_job(job["id"], error="canceled", retryable=True) == "canceled"

    over = await desk.job(job)
    assert (over["status"], over["cancellation_reason"]) == ("canceled", "user_request")
    assert len(await desk.store.attempts(DEFAULT_TENANT, job["id"])) == 1
