"""`retry_count` grows when a retry is planned, and never by anything else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeAlias

import pytest

from jobplane.api.manager import JobRecord
from jobplane.api.manager.holding import Holding
from jobplane.core.leases import settle_released
from jobplane.core.model import DEFAULT_TENANT
from jobplane.store.verbs.engine import Settle
from tests.manager.clocks import Hands
from tests.manager.hand import Desk

Step: TypeAlias = Callable[[Desk, Hands, JobRecord], Awaitable[JobRecord]]


async def acquire(desk: Desk, clock: Hands, _: JobRecord) -> JobRecord:
    clock.advance(400)
    await desk.upkeep()
    return await desk.acquire()


async def fail(desk: Desk, _: Hands, job: JobRecord) -> JobRecord:
    await desk.jm.fail_job(job["id"], "w1", job["lease_id"], "boom")
    return job


async def give_up(desk: Desk, _: Hands, job: JobRecord) -> JobRecord:
    await desk.jm.fail_job(job["id"], "w1", job["lease_id"], "boom", False)
    return job


async def complete(desk: Desk, _: Hands, job: JobRecord) -> JobRecord:
    await desk.jm.complete_job(job["id"], "w1", job["lease_id"])
    return job


async def release(desk: Desk, _: Hands, job: JobRecord) -> JobRecord:
    held = Holding.read(str(job["lease_id"]))
    assert held
    await desk.store.run(Settle([settle_released(held.lease, "shutdown")]))
    return job


async def lose(desk: Desk, clock: Hands, job: JobRecord) -> JobRecord:
    clock.advance(61)
    await desk.upkeep()
    return job


async def retry(desk: Desk, _: Hands, job: JobRecord) -> JobRecord:
    await desk.store.retry(DEFAULT_TENANT, [job["id"]])
    return job


async def cancel(desk: Desk, _: Hands, job: JobRecord) -> JobRecord:
    await desk.jm.cancel_job(job["id"])
    return job


async def expire(desk: Desk, clock: Hands, job: JobRecord) -> JobRecord:
    """Let the time to start pass."""
    await desk.store.edit(DEFAULT_TENANT, job["id"], {"expires_at": (clock.now() + timedelta(seconds=1)).isoformat()})
    clock.advance(2)
    await desk.upkeep()
    return job


STORIES: dict[str, list[tuple[Step, int]]] = {
    "a first success": [(acquire, 0), (complete, 0)],
    "failures until the budget is spent": [(acquire, 0), (fail, 1), (acquire, 1), (fail, 2), (acquire, 2), (fail, 2)],
    "a failure that no retry can help": [(acquire, 0), (fail, 1), (acquire, 1), (give_up, 1)],
    "a success after a failure": [(acquire, 0), (fail, 1), (acquire, 1), (complete, 1)],
    "a release, which is refunded": [(acquire, 0), (release, 0), (acquire, 0), (fail, 1), (acquire, 1), (release, 1)],
    "a lost worker": [(acquire, 0), (lose, 1), (acquire, 1), (complete, 1)],
    "a cancel before the first attempt": [(cancel, 0)],
    "a cancel of a waiting retry": [(acquire, 0), (fail, 1), (cancel, 1)],
    "a cancel of the last retry that waits": [(acquire, 0), (fail, 1), (acquire, 1), (fail, 2), (cancel, 2)],
    "a cancel of an attempt": [(acquire, 0), (cancel, 0), (fail, 0)],
    "a cancel of a retry that runs": [(acquire, 0), (fail, 1), (acquire, 1), (cancel, 1), (fail, 1)],
    "a cancel after a release": [(acquire, 0), (fail, 1), (acquire, 1), (release, 1), (cancel, 1)],
    "a cancel after a release of the first attempt": [(acquire, 0), (release, 0), (cancel, 0)],
    "a cancel after a person's retry": [(acquire, 0), (fail, 1), (cancel, 1), (retry, 0), (cancel, 0)],
    "an expiry before the first attempt": [(expire, 0)],
    "a waiting retry, which never expires": [(acquire, 0), (fail, 1), (expire, 1), (acquire, 1)],
    "a person's retry, with a new budget": [
        *((acquire, 0), (fail, 1), (acquire, 1), (give_up, 1)),
        *((retry, 0), (acquire, 0)),
    ],
}


@pytest.mark.parametrize("story", STORIES)
async def test_a_retry_is_counted_when_it_is_planned(desk: Desk, clock: Hands, story: str) -> None:
    job = await desk.create(max_retries=2)
    counted: list[int] = []
    for step, _ in STORIES[story]:
        job = await step(desk, clock, job)
        counted.append((await desk.job(job))["retry_count"])
        [listed] = await desk.jm.list_jobs()
        assert listed["retry_count"] == counted[-1]

    assert counted == [expected for _, expected in STORIES[story]]
    assert (await desk.job(job))["max_retries"] == 2
