from __future__ import annotations

from tests.client import Store
from tests.conformance.factory import Factory, ended


async def test_a_vacuum_takes_nothing_away(store: Store, make: Factory) -> None:
    ids = await make.jobs(5)
    await store.settle([ended(lease) for lease in await make.claim(2)])

    await store.vacuum()

    assert len(await store.get_jobs(make.alice, ids)) == 5
    assert len(await make.claim(10)) == 3


async def test_upkeep_of_an_empty_store_does_nothing(store: Store, make: Factory) -> None:
    assert [
        await store.promote(),
        await store.reap(),
        await store.expire(),
        await store.sweep(),
        await store.tidy(),
    ] == [0] * 5
