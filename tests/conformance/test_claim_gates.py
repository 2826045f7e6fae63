"""What is due and still may not run: held with its reason, and back when the gate opens."""

from __future__ import annotations

import pytest

from jobplane.core.model import Json, Outcome
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import Factory, ended


async def test_a_paused_queue_hands_out_nothing_and_moves_nothing(store: Store, make: Factory) -> None:
    job_id = await make.job()
    await store.pause_queues(["default"])

    assert await make.claim() == []
    assert (await make.get(job_id)).held_by is None
    await store.resume_queues(["default"])
    assert await make.claim_ids() == [job_id]


async def test_a_paused_tenants_jobs_are_held_and_others_run(store: Store, make: Factory) -> None:
    mine = await make.jobs(3)
    theirs = await make.job(tenant=make.charlie)
    await store.pause_tenants([make.alice])

    assert await make.claim_ids(10) == [theirs]
    assert {(await make.get(job_id)).held_by for job_id in mine} == {"tenant_paused"}

    await store.resume_tenants([make.alice])
    assert {(await make.get(job_id)).held_by for job_id in mine} == {None}
    assert sorted(await make.claim_ids(10)) == sorted(mine)


async def test_an_inactive_definition_holds_its_jobs(make: Factory) -> None:
    await make.define("e")
    job_id = await make.job()
    other = await make.job(definition="e")
    await make.define(active=False)

    assert await make.claim_ids(10) == [other]
    assert (await make.get(job_id)).held_by == "definition_inactive"

    await make.define(active=True)
    assert await make.claim_ids(10) == [job_id]


@pytest.mark.parametrize(("kind", "reason"), [("python", "no_worker"), (None, "unbound")])
async def test_what_no_live_worker_knows_is_held_until_one_registers(make: Factory, kind: Json, reason: str) -> None:
    await make.define("new", kind=kind)
    await make.worker("w1", "d")
    job_id = await make.job(definition="new")

    assert await make.claim(worker="w1") == []
    assert (await make.get(job_id)).held_by == reason

    await make.worker("w2", "new")
    assert (await make.get(job_id)).held_by is None
    assert await make.claim_ids(worker="w2") == [job_id]


async def test_what_another_live_worker_knows_is_passed_over(make: Factory) -> None:
    await make.define("e")
    await make.worker("w1", "d")
    await make.worker("w2", "e")
    theirs = await make.jobs(3, definition="e")
    mine = await make.job()

    assert await make.claim_ids(10, worker="w1") == [mine]
    assert {(await make.get(job_id)).held_by for job_id in theirs} == {None}
    assert sorted(await make.claim_ids(10, worker="w2")) == sorted(theirs)


async def test_a_worker_that_was_not_seen_for_a_minute_knows_nothing(make: Factory, clock: Clock) -> None:
    await make.define("e")
    await make.worker("gone", "e")
    clock.advance(60)
    await make.worker("w1", "d")
    job_id = await make.job(definition="e")

    assert await make.claim(worker="w1") == []
    assert (await make.get(job_id)).held_by == "no_worker"


async def test_a_worker_of_another_queue_does_not_count(store: Store, make: Factory) -> None:
    await store.put_queues(["other"])
    await make.define("e")
    await make.worker("elsewhere", "e", queues=["other"])
    await make.worker("w1", "d")
    job_id = await make.job(definition="e")

    await make.claim(worker="w1")

    assert (await make.get(job_id)).held_by == "no_worker"


async def test_a_worker_who_names_no_definitions_runs_any(store: Store, make: Factory) -> None:
    job_id = await make.job()

    assert await make.claim_ids(worker="never-registered") == [job_id]


async def test_a_definition_made_after_its_worker_is_known_to_it(make: Factory) -> None:
    await make.worker("w1", "later")
    await make.define("later")
    job_id = await make.job(definition="later")

    assert await make.claim_ids(worker="w1") == [job_id]


LIMITS = {
    "max_in_flight": "tenant_limit",
    "max_running": "definition_limit",
    "max_running_per_tenant": "definition_tenant_limit",
}


async def limit(make: Factory, name: str, value: int | None) -> None:
    if name == "max_in_flight":
        await make.store.set_tenant(make.alice, {name: value})
    else:
        await make.store.put_definitions([{"key": "d", name: value}])


@pytest.mark.parametrize("name", LIMITS)
async def test_a_limit_is_never_exceeded_and_a_free_slot_is_filled(make: Factory, name: str) -> None:
    await limit(make, name, 2)
    ids = await make.jobs(5)

    first = await make.claim(10)
    held = [job_id for job_id in ids if (await make.get(job_id)).held_by == LIMITS[name]]
    assert len(first) == 2
    assert len(held) == 3
    assert await make.claim(10) == []

    await make.settle(first[0], Outcome.SUCCEEDED)
    second = await make.claim(10)
    assert len(second) == 1
    await make.store.settle([ended(lease) for lease in [first[1], *second]])
    assert len(await make.claim(10)) == 2


async def test_a_limit_of_all_tenants_is_shared(make: Factory) -> None:
    await make.define(max_running=3)
    await make.jobs(3)
    await make.jobs(3, tenant=make.charlie)

    assert len(await make.claim(10)) == 3


async def test_a_limit_for_each_tenant_leaves_the_others_alone(make: Factory) -> None:
    await make.define(max_running_per_tenant=2)
    await make.jobs(3)
    await make.jobs(3, tenant=make.charlie)

    leases = await make.claim(10)

    assert sorted(lease.tenant_id for lease in leases) == sorted([make.alice] * 2 + [make.charlie] * 2)


async def test_every_limit_that_applies_is_kept(store: Store, make: Factory) -> None:
    await make.define(max_running=3, max_running_per_tenant=2)
    await make.define("e")
    await store.set_tenant(make.alice, {"max_in_flight": 4})
    await make.jobs(5)
    await make.jobs(5, definition="e")
    await make.jobs(5, tenant=make.charlie)

    leases = await make.claim(100)

    running = [(lease.tenant_id == make.alice, lease.definition_key) for lease in leases]
    assert sorted(running) == sorted([(True, "d")] * 2 + [(True, "e")] * 2 + [(False, "d")])


@pytest.mark.parametrize("name", LIMITS)
async def test_a_limit_counts_what_ran_before_it_was_set(make: Factory, name: str) -> None:
    await make.jobs(4)
    first = await make.claim(2)
    await limit(make, name, 3)

    assert len(await make.claim(10)) == 1
    await limit(make, name, None)
    await limit(make, name, 4)
    await make.store.sweep()
    assert len(await make.claim(10)) == 1
    answers = await make.store.settle([ended(lease) for lease in first])
    assert all(answer.accepted for answer in answers)


@pytest.mark.parametrize("name", LIMITS)
async def test_a_limit_of_nothing_stops_all_and_no_limit_lets_all_pass(make: Factory, name: str) -> None:
    await limit(make, name, 0)
    ids = await make.jobs(3)
    assert await make.claim(10) == []

    await limit(make, name, None)
    await make.store.sweep()

    assert sorted(await make.claim_ids(10)) == sorted(ids)


@pytest.mark.parametrize("end", ["succeed", "fail", "release", "reap", "cancel"])
async def test_however_an_attempt_ends_its_slot_comes_back(store: Store, make: Factory, clock: Clock, end: str) -> None:
    await make.define(max_running=1, max_attempts=1)
    await make.jobs(2)
    [lease] = await make.claim(10)
    if end == "reap":
        clock.advance(31)
        assert await store.reap() == 1
    elif end == "release":
        await store.release([lease], after=3600)
    elif end == "cancel":
        await store.cancel(make.alice, [lease.job_id])
        await make.settle(lease, Outcome.FAILED)
    else:
        await make.settle(lease, Outcome.SUCCEEDED if end == "succeed" else Outcome.FATAL)

    assert len(await make.claim(10)) == 1


async def test_a_claim_that_saw_too_much_asks_to_be_repeated(store: Store, make: Factory) -> None:
    await make.define("off")
    await make.jobs(25, definition="off")
    last = await make.job()
    await make.define("off", active=False)

    looks = [await store.claim("default", "w1", limit=1) for _ in range(3)]

    assert [look.more for look in looks] == [True, True, False]
    assert [lease.job_id for lease in looks[2].leases] == [last]


async def test_held_rows_keep_their_order(store: Store, make: Factory) -> None:
    ids = await make.jobs(4)
    await store.pause_tenants([make.alice])
    await make.claim(10)
    await store.resume_tenants([make.alice])

    assert [job_id for _ in ids for job_id in await make.claim_ids()] == ids
