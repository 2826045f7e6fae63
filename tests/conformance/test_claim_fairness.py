"""No tenant can starve another, whatever its backlog, nor one priority another."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from uuid import UUID

import pytest

from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import Factory, ended


async def served(make: Factory, n: int, *, batch: int = 1) -> list[UUID]:
    """Whose the next n claimed jobs are, in the order in which they were handed out."""
    leases = chain.from_iterable([await make.claim(batch) for _ in range(n // batch)])
    return [lease.tenant_id for lease in leases]


@pytest.mark.parametrize("batch", [1, 10])
async def test_equal_tenants_get_equal_shares(make: Factory, batch: int) -> None:
    tenants = [make.alice, make.charlie, await make.tenant("dora")]
    for tenant, backlog in zip(tenants, (500, 60, 30), strict=True):
        await make.jobs(backlog, tenant=tenant)

    shares = Counter(await served(make, 60, batch=batch))

    assert all(abs(shares[tenant] - 20) <= 1 for tenant in tenants), shares


async def test_shares_follow_the_weights(store: Store, make: Factory) -> None:
    await store.set_tenant(make.alice, {"weight": 3})
    await make.jobs(200)
    await make.jobs(200, tenant=make.charlie)

    shares = Counter(await served(make, 80))

    assert abs(shares[make.alice] - 60) <= 1, shares


async def test_a_new_tenants_first_job_starts_within_as_many_claims_as_tenants_wait(
    store: Store, make: Factory, clock: Clock
) -> None:
    """Plus what workers already hold, which is one job here; wherever the round stands when it comes."""
    tenants = [make.alice, make.charlie, await make.tenant("dora")]
    for tenant in tenants:
        await make.jobs(100, tenant=tenant)
    places: list[int] = []
    for number in range(6):
        for _ in range(7 + number):
            clock.advance(1)
            await store.settle([ended(lease) for lease in await make.claim()])
        late = await make.tenant(f"late-{number}")
        await make.job(tenant=late)
        places.append((await served(make, 20)).index(late) + 1)

    assert max(places) <= len([*tenants, "the new one"]) + 1, places


async def test_a_tenant_that_was_away_gets_no_credit(store: Store, make: Factory, clock: Clock) -> None:
    await make.jobs(300)
    for _ in range(10):
        clock.advance(1)
        await make.claim(10)
    await make.jobs(100, tenant=make.charlie)

    shares = Counter(await served(make, 40))

    assert abs(shares[make.charlie] - 20) <= 10, shares


async def test_what_comes_back_goes_to_the_end_of_its_tenants_line(store: Store, make: Factory) -> None:
    first, *rest = await make.jobs(3)
    await store.release(await make.claim())
    await store.promote()

    assert [job_id for _ in range(3) for job_id in await make.claim_ids()] == [*rest, first]


async def test_nobody_else_waiting_one_tenant_gets_everything(make: Factory) -> None:
    await make.jobs(50)

    assert len(await make.claim(50)) == 50


async def test_one_job_in_sixteen_is_taken_from_a_lower_priority(store: Store, make: Factory) -> None:
    await make.jobs(200, priority=0)
    low = set(await make.jobs(20, priority=900))
    await store.tick()

    claimed = [job_id for _ in range(160) for job_id in await make.claim_ids()]

    assert 9 <= len(low.intersection(claimed)) <= 11


@pytest.mark.parametrize("queues", [2, 4, 16])
async def test_who_goes_round_several_queues_takes_the_share_of_each(store: Store, make: Factory, queues: int) -> None:
    names = [f"q{n}" for n in range(queues)]
    await store.put_queues(names)
    for name in names:
        await make.jobs(80, queue=name, priority=0)
        await make.jobs(20, queue=name, priority=900, correlation_id=name)
    await store.tick()

    leases = [lease for _ in range(80) for name in names for lease in await make.claim(queue=name)]
    low = Counter(lease.correlation_id for lease in leases if lease.correlation_id)

    assert all(1 <= low[name] <= 15 for name in names), low


async def test_a_large_claim_gives_the_lower_priorities_their_share_too(store: Store, make: Factory) -> None:
    await make.jobs(300, priority=0)
    low = set(await make.jobs(30, priority=900))
    await store.tick()

    claimed = [job_id for _ in range(5) for job_id in await make.claim_ids(32)]

    assert len(low.intersection(claimed)) == 10


async def test_a_claim_that_comes_to_a_lower_priority_twice_takes_each_job_once(store: Store, make: Factory) -> None:
    """First for its share, and then because nothing more urgent is left."""
    ids = [*await make.jobs(5, priority=0), *await make.jobs(40, priority=900)]
    await store.tick()

    claimed = await make.claim_ids(40)

    assert len(set(claimed)) == len(claimed) == 40
    assert sorted([*claimed, *await make.claim_ids(40)]) == sorted(ids)


async def test_each_priority_has_its_turn_within_sixteen_times_their_number(store: Store, make: Factory) -> None:
    priorities = [0, 1, 2, 3]
    for priority in priorities:
        await make.jobs(80, priority=priority, correlation_id=str(priority))
    await store.tick()

    leases = chain.from_iterable([await make.claim() for _ in range(16 * len(priorities))])

    turns = Counter(lease.correlation_id for lease in leases)
    assert set(turns) == {"0", "1", "2", "3"}
    assert turns["0"] == 60


async def test_an_empty_lower_priority_gives_its_turn_away(store: Store, make: Factory) -> None:
    await make.jobs(100, priority=0)
    await make.job(priority=500)
    await make.jobs(10, priority=1000, correlation_id="low")
    await store.tick()

    leases = chain.from_iterable([await make.claim() for _ in range(16 * 4)])

    assert len([lease for lease in leases if lease.correlation_id == "low"]) == 3
