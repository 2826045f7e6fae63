from __future__ import annotations

from datetime import timedelta

import pytest

from jobplane.core.model import NewWorker
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import Factory, new


@pytest.fixture
async def worker(make: Factory) -> str:
    """One that knows `d` and serves its queue."""
    await make.worker("w", "d")
    return "w"


async def test_a_job_is_ready_until_it_is_claimed(store: Store, make: Factory, worker: str) -> None:
    found = [await store.has_ready(worker)]
    await make.jobs(2)
    found.append(await store.has_ready(worker))
    for _ in range(2):
        await make.claim()
        found.append(await store.has_ready(worker))

    assert found == [False, True, True, False]


async def test_every_priority_of_every_queue_that_the_worker_serves_counts(store: Store, make: Factory) -> None:
    await store.put_queues(["other", "third"])
    await make.worker("both", "d", queues=["default", "other"])
    await make.worker("third", "d", queues=["third"])
    for priority in (7, 8, 9):
        await make.jobs(1, queue="other", priority=priority)

    found: list[bool] = []
    for _ in range(3):
        await make.claim(queue="other")
        found.append(await store.has_ready("both"))

    assert found == [True, True, False]  # a claim opens new priorities
    await make.jobs(1, queue="other", priority=9)
    assert [await store.has_ready("both"), await store.has_ready("third")] == [True, False]


async def test_nothing_is_ready_for_an_unknown_worker(store: Store, make: Factory) -> None:
    await make.jobs(1)

    assert not await store.has_ready("nobody")


async def test_a_job_that_the_worker_cannot_run_is_not_ready_for_it(store: Store, make: Factory) -> None:
    await make.define("another")
    await make.worker("w", "another")
    await store.register_worker(NewWorker(worker_id="any", queues=["default"]))
    await make.jobs(1)

    assert [await store.has_ready(name) for name in ("w", "any")] == [False, True]


async def test_neither_is_one_whose_time_to_start_has_passed(
    store: Store, make: Factory, worker: str, clock: Clock
) -> None:
    await make.enqueue(new(expires_at=clock.now() + timedelta(seconds=5)))
    before = await store.has_ready(worker)
    clock.advance(5)

    assert (before, await store.has_ready(worker)) == (True, False)


async def test_nor_one_that_a_pause_holds(store: Store, make: Factory, worker: str) -> None:
    await make.jobs(1)
    found: list[bool] = []
    await store.pause_queues(["default"])
    found.append(await store.has_ready(worker))
    await store.resume_queues(["default"])
    await store.pause_tenants([make.alice])
    found.append(await store.has_ready(worker))
    await store.resume_tenants([make.alice])
    await store.change_definition("d", {"active": False})
    found.append(await store.has_ready(worker))
    await store.change_definition("d", {"active": True})

    assert (found, await store.has_ready(worker)) == ([False] * 3, True)
