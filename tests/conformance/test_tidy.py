from __future__ import annotations

from datetime import timedelta

from jobplane.core.model import Outcome
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import Factory


async def test_tidy_removes_what_nothing_uses(store: Store, make: Factory, clock: Clock) -> None:
    await make.define(max_running=1)
    await make.worker("gone", "d")
    lease = await make.lease()
    assert await store.tidy() == 0

    await make.settle(lease, Outcome.SUCCEEDED)
    clock.advance(timedelta(days=1, seconds=1))
    await make.worker("here", "d")

    assert await store.tidy() == 2
    assert await store.tidy() == 0
    assert [worker.worker_id for worker in await store.workers()] == ["here"]


async def test_tidy_leaves_a_limit_that_somebody_waits_for(store: Store, make: Factory) -> None:
    await make.define(max_running=0)
    await make.job()
    await make.claim()
    assert await store.tidy() == 0

    await make.define(max_running=1)
    await store.sweep()

    assert len(await make.claim()) == 1
