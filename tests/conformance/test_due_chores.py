from __future__ import annotations

from datetime import timedelta
from typing import Final

import pytest

from jobplane.core.errors import Invalid
from jobplane.core.model import NewWorker
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import Factory, ended, new

CHORES: Final = ["promote", "tick", "expire", "sweep", "wake", "reap"]
turns = pytest.mark.needs("notify")  # only there do processes take turns, and only there is somebody to wake


async def due(store: Store) -> set[str]:
    return set((await store.due_chores(CHORES)).due)


async def test_an_idle_store_has_nothing_to_do(store: Store, make: Factory) -> None:
    await make.claim()

    found = await store.due_chores(CHORES)

    assert (found.due, found.other_seconds, found.next_seconds) == (frozenset(), None, None)
    assert found.took.keys() == set(CHORES)


async def test_a_job_that_came_due_is_to_be_promoted(store: Store, make: Factory, clock: Clock) -> None:
    await make.job(delay_seconds=10)
    await make.job(delay_seconds=30)
    early = await store.due_chores(CHORES)
    clock.advance(10)
    late = await store.due_chores(CHORES)
    await store.promote()

    assert (early.due, early.next_seconds) == (frozenset(), 10)
    assert (late.due, late.next_seconds) == ({"promote"}, 20)
    assert "promote" not in await due(store)


async def test_a_job_that_did_not_start_in_time_is_to_be_expired(store: Store, make: Factory, clock: Clock) -> None:
    await make.enqueue(new(delay_seconds=60, expires_at=clock.now() + timedelta(seconds=5)))
    assert await due(store) == set()
    clock.advance(5)
    assert await due(store) == {"expire"}
    await store.expire()

    assert await due(store) == set()


async def test_a_lease_that_has_ended_is_to_be_reaped(store: Store, make: Factory, clock: Clock) -> None:
    await make.jobs(1)
    [lease] = await make.claim()
    await store.tick()
    await store.tick()
    clock.advance(30)
    early = "reap" in await due(store)
    clock.advance(1)
    late = "reap" in await due(store)
    await store.reap()

    assert (early, late) == (False, True)
    assert "reap" not in await due(store)
    [settled] = await store.settle([ended(lease)])
    assert not settled.accepted


async def test_what_a_gate_holds_is_to_be_swept_when_it_has_room(store: Store, make: Factory) -> None:
    await store.set_tenant(make.alice, {"max_in_flight": 1})
    await make.jobs(3)
    await make.claim(3)
    shut = "sweep" in await due(store)
    await store.set_tenant(make.alice, {"max_in_flight": 2})
    opened = "sweep" in await due(store)
    await store.sweep()
    await make.claim(3)

    assert (shut, opened) == (False, True)
    assert "sweep" not in await due(store)


@turns
async def test_a_tick_is_due_exactly_where_it_moves_a_mark(store: Store, make: Factory, clock: Clock) -> None:
    found: list[tuple[bool, bool]] = []
    await make.jobs(6)
    for full in (True, False) * 4:
        clock.advance(1)
        await make.claim(1)
        for _ in range(3):
            was_due = "tick" in await due(store)
            found.append((was_due, await store.tick(full=full) > 0))

    assert [was_due for was_due, _ in found] == [moved for _, moved in found]
    assert {was_due for was_due, _ in found} == {True, False}


@turns
async def test_a_queue_with_jobs_is_to_be_told_of_while_an_idle_worker_waits(
    store: Store, make: Factory, clock: Clock
) -> None:
    await make.jobs(1)
    unasked = await due(store)
    await store.want_work(["default"], seconds=5)
    asked = await due(store)
    clock.advance(6)

    assert ("wake" in unasked, "wake" in asked, "wake" in await due(store)) == (False, True, False)


@turns
async def test_nobody_is_told_of_a_queue_that_is_paused_or_empty(store: Store, make: Factory) -> None:
    await store.want_work(["default"], seconds=5)
    empty = await due(store)
    await make.jobs(1)
    await store.pause_queues(["default"])

    assert "wake" not in empty | await due(store)
    assert await store.wake_idle() == 0


async def test_only_what_was_asked_for_is_looked_at(store: Store, make: Factory, clock: Clock) -> None:
    await make.job(delay_seconds=1)
    clock.advance(1)

    assert (await store.due_chores(["expire"])).due == frozenset()
    assert (await store.due_chores([])).took == {}


async def test_a_chore_that_does_not_exist_is_refused(store: Store) -> None:
    with pytest.raises(Invalid, match="no chore"):
        await store.due_chores(["dishes"])


@turns
async def test_one_process_at_a_time_does_the_upkeep(store: Store, make: Factory, clock: Clock) -> None:
    await make.job(delay_seconds=1)
    clock.advance(1)
    first = await store.due_chores(CHORES, by="first")
    clock.advance(1)
    second = await store.due_chores(CHORES, by="second")

    assert (first.other_seconds, first.due) == (None, {"promote"})
    assert (second.other_seconds, second.due, second.took) == (4, frozenset(), {})


@turns
async def test_a_turn_goes_on_while_its_process_asks_and_ends_soon_after(store: Store, clock: Clock) -> None:
    for _ in range(10):
        assert (await store.due_chores([], by="first")).other_seconds is None
        clock.advance(1)
    assert (await store.due_chores([], by="second")).other_seconds is not None
    clock.advance(5)

    assert (await store.due_chores([], by="second")).other_seconds is None
    assert (await store.due_chores([], by="first")).other_seconds == 5


@turns
async def test_a_worker_that_leaves_gives_up_its_turn(store: Store) -> None:
    await store.register_worker(NewWorker(worker_id="first", queues=["default"]))
    await store.due_chores([], by="first")
    await store.deregister_worker("first")

    assert (await store.due_chores([], by="second")).other_seconds is None


@turns
async def test_a_process_without_a_name_waits_for_nobodys_turn_and_takes_none(store: Store) -> None:
    await store.due_chores([], by="first")

    assert (await store.due_chores([])).other_seconds is None
    assert (await store.due_chores([], by="first")).other_seconds is None


@turns
async def test_a_clock_that_was_put_back_leaves_nobody_with_a_turn_of_an_hour(store: Store, clock: Clock) -> None:
    await store.due_chores([], by="first")
    clock.advance(-3600)

    assert (await store.due_chores([], by="second")).other_seconds is None
    assert (await store.due_chores([], by="first")).other_seconds == 5
