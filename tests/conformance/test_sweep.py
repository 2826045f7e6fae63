from __future__ import annotations

from jobplane.core.model import Outcome
from tests.client import Store
from tests.conformance.factory import Factory


async def test_a_sweep_lets_back_what_a_gate_no_longer_holds(store: Store, make: Factory) -> None:
    await store.set_tenant(make.alice, {"max_in_flight": 1})
    await make.jobs(6)
    await make.claim(10)
    assert await store.sweep() == 0

    await store.set_tenant(make.alice, {"max_in_flight": 4})

    assert await store.sweep() == 3
    assert len(await make.claim(10)) == 3
    assert (await store.summary(make.alice)).held == 2


async def test_a_sweep_moves_no_more_than_its_limit_for_each_gate(store: Store, make: Factory) -> None:
    await make.jobs(5)
    await make.jobs(5, tenant=make.charlie)
    await store.set_tenant(make.alice, {"max_in_flight": 0})
    await store.set_tenant(make.charlie, {"max_in_flight": 0})
    await make.claim(10)
    for tenant in (make.alice, make.charlie):
        await store.set_tenant(tenant, {"max_in_flight": None})

    assert await store.sweep(limit=3) == 6


async def test_a_sweep_opens_no_gate_that_is_shut(store: Store, make: Factory) -> None:
    await make.define("off")
    await make.define("full", max_running=1)
    await make.define("stranger")
    for key in ("off", "full", "full", "stranger"):
        await make.job(definition=key)
    await make.job(tenant=make.charlie)
    await make.define("off", active=False)
    await store.pause_tenants([make.charlie])
    await make.worker("w1", "off", "full", "d")
    await make.claim(10)

    assert await store.sweep() == 0
    assert (await store.summary(make.alice)).held == 3
    assert (await store.summary(make.charlie)).held == 1


async def test_a_sweep_finds_the_slot_of_a_canceled_neighbour(store: Store, make: Factory) -> None:
    await make.define(max_running=1)
    _, second = await make.jobs(2)
    [lease] = await make.claim(2)
    await store.cancel(make.alice, [lease.job_id, second])
    third = await make.job()
    await make.claim()
    await make.settle(lease, Outcome.CANCELED)
    await store.sweep()

    assert await make.claim_ids() == [third]
