"""changes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from uuid import UUID, uuid4

import pytest

from jobplane.core.changes import TOPICS, Marks
from jobplane.core.model import NewWorker, Outcome
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import Factory, ended
from tests.leases import Held

Move = Callable[[Store, Factory, list[Held]], Awaitable[object]]


async def marks(store: Store, make: Factory) -> dict[UUID | None, Marks]:
    return {each.tenant_id: each for each in await store.changes([make.alice, make.charlie], all_tenants=True)}


def changed(before: dict[UUID | None, Marks], after: dict[UUID | None, Marks]) -> set[tuple[UUID | None, str]]:
    return {(tenant, topic) for tenant in before for topic in TOPICS if before[tenant].differ(topic, after[tenant])}


async def fast(store: Store, make: Factory, _: list[Held]) -> None:
    """A job that comes, runs and ends between two looks."""
    await make.job()
    await store.settle([ended(lease) for lease in await make.claim(10)])


MOVES: dict[str, Move] = {
    "enqueue": lambda s, m, _: m.job(),
    "enqueue for later": lambda s, m, _: m.job(delay_seconds=60),
    "claim": lambda s, m, _: m.claim(),
    "succeed": lambda s, m, leases: m.settle(leases[0], Outcome.SUCCEEDED),
    "fail": lambda s, m, leases: m.settle(leases[0], Outcome.FAILED),
    "cancel a waiting job": lambda s, m, _: _cancel_waiting(s, m),
    "ask a running job to stop": lambda s, m, leases: s.cancel(m.alice, [leases[0].job_id]),
    "a job that is over at once": fast,
}


async def _cancel_waiting(store: Store, make: Factory) -> None:
    page = await store.list_jobs(make.alice)
    await store.cancel(make.alice, [page.items[0].id])


@pytest.mark.parametrize("name", MOVES)
async def test_a_move_changes_the_marks_of_its_tenant_and_of_the_installation(
    store: Store, make: Factory, name: str
) -> None:
    leases = [await make.lease() for _ in range(2)]
    await make.job()
    before = await marks(store, make)

    await MOVES[name](store, make, leases)

    found = changed(before, await marks(store, make))
    assert {(make.alice, "jobs"), (None, "jobs"), (None, "queues")} <= found
    assert not {tenant for tenant, _ in found} & {make.charlie}


async def test_nothing_changes_where_nothing_happens(store: Store, make: Factory) -> None:
    leases = [await make.lease() for _ in range(2)]
    before = await marks(store, make)

    await store.renew(leases)

    # The counters of the installation may still tell of what was before.
    assert {tenant for tenant, _ in changed(before, await marks(store, make))} <= {None}


async def test_a_person_who_retries_an_old_job_is_seen(store: Store, make: Factory) -> None:
    """Behind a hundred others, and over again before the next look."""
    old = await make.over("failed")
    await make.jobs(100, max_attempts=1)
    await store.settle([ended(lease, Outcome.FATAL) for lease in await make.claim(100)])
    before = await marks(store, make)

    await store.retry(make.alice, [old])
    await store.promote()
    for lease in await make.claim():
        await make.settle(lease, Outcome.FATAL)

    assert (make.alice, "jobs") in changed(before, await marks(store, make))


async def test_workers_and_pauses_are_seen(store: Store, make: Factory, clock: Clock) -> None:
    """Of the tenants by alice alone, whose job waits in that queue."""
    await store.register_worker(NewWorker(worker_id="w", queues=["default"], slots=4))
    await make.job()
    before = await marks(store, make)
    await store.see_worker("w", 3)
    busy = await marks(store, make)
    await store.pause_queues(["default"])
    paused = await marks(store, make)
    clock.advance(61)
    gone = await marks(store, make)

    assert (None, "workers") in changed(before, busy)
    assert {tenant for tenant, _ in changed(before, busy)} == {None}
    assert {(make.alice, "problems"), (None, "problems"), (None, "queues")} <= changed(busy, paused)
    assert {(make.alice, "problems"), (None, "workers"), (None, "problems")} <= changed(paused, gone)
    assert {topic for tenant, topic in changed(before, gone) if tenant == make.alice} == {"problems"}
    assert make.charlie not in {tenant for tenant, _ in changed(before, gone)}


async def test_a_tenant_learns_nothing_of_queues_in_which_it_does_not_wait(store: Store, make: Factory) -> None:
    await make.job()
    await store.put_queues(["other"])
    before = await marks(store, make)

    await store.pause_queues(["other"])
    await store.register_worker(NewWorker(worker_id="w", queues=["other"], slots=4))

    assert {tenant for tenant, _ in changed(before, await marks(store, make))} == {None}


async def test_a_dead_letter_is_a_problem_of_its_tenant_alone(store: Store, make: Factory) -> None:
    lease = await make.lease(max_attempts=1)
    before = await marks(store, make)

    await make.settle(lease, Outcome.FAILED)

    found = changed(before, await marks(store, make))
    assert {(make.alice, "jobs"), (make.alice, "problems")} <= found
    assert {topic for tenant, topic in found if tenant == make.charlie} == set()


async def test_a_tenant_has_no_marks_of_queues_and_workers_and_one_that_is_not_there_none(
    store: Store, make: Factory
) -> None:
    [hers] = await store.changes([make.alice, uuid4()])

    assert (hers.tenant_id, hers.queues, hers.workers) == (make.alice, None, None)
