from __future__ import annotations

from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import Factory, ended


async def test_a_tick_hides_nothing(store: Store, make: Factory, clock: Clock) -> None:
    """Whatever the low marks are, every job that may run is found: old, new, brought back, of any priority."""
    ids = [*await make.jobs(30), *await make.jobs(5, priority=3), *await make.jobs(5, delay_seconds=2)]
    claimed: list[object] = []
    for full in (True, False) * 10:
        clock.advance(1)
        await store.promote()
        leases = await make.claim(3)
        claimed += [lease.job_id for lease in leases[:2]]
        await store.settle([ended(lease) for lease in leases[:2]])
        await store.release(leases[2:])
        await store.tick(full=full)
    await store.promote()
    claimed += await make.claim_ids(100)

    assert sorted(map(str, claimed)) == sorted(map(str, ids))


async def test_a_tick_that_finds_nothing_to_move_says_so(store: Store, make: Factory) -> None:
    await make.jobs(3)
    await make.claim(2)
    for _ in range(3):
        await store.tick()

    assert await store.tick() == 0
