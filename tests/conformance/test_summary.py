from __future__ import annotations

from uuid import uuid4

import pytest

from jobplane.core.model import Summary
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import STATES, Factory

NOTHING = Summary(
    queued=0,
    running=0,
    succeeded=0,
    failed=0,
    dead_letter=0,
    canceled=0,
    ready=0,
    held=0,
    upcoming=0,
    oldest_due_seconds=None,
    is_capped=False,
)


async def test_an_empty_tenant_has_nothing_and_nothing_due(store: Store, make: Factory) -> None:
    assert await store.summary(make.alice) == NOTHING


async def test_every_status_is_counted(store: Store, make: Factory, clock: Clock) -> None:
    for state in reversed(STATES):
        await make.in_state(state)

    assert await store.summary(make.alice) == Summary(
        queued=3,
        running=1,
        succeeded=1,
        failed=1,
        dead_letter=1,
        canceled=1,
        ready=1,
        held=1,
        upcoming=1,
        oldest_due_seconds=0,
        is_capped=False,
    )


@pytest.mark.parametrize("state", ["ready", "held"])
async def test_the_oldest_due_job_tells_how_long_it_has_waited(
    store: Store, make: Factory, clock: Clock, state: str
) -> None:
    await make.in_state(state)
    clock.advance(90)
    await make.job()

    assert (await store.summary(make.alice)).oldest_due_seconds == 90


async def test_a_due_job_of_any_priority_counts(store: Store, make: Factory, clock: Clock) -> None:
    await make.job(priority=7)
    clock.advance(60)

    assert (await store.summary(make.alice)).oldest_due_seconds == 60


async def test_what_came_due_counts_before_it_is_promoted(store: Store, make: Factory, clock: Clock) -> None:
    await make.job(delay_seconds=10)
    clock.advance(30)

    assert (await store.summary(make.alice)).oldest_due_seconds == 20


async def test_a_job_of_the_future_is_not_due(store: Store, make: Factory) -> None:
    await make.job(delay_seconds=10)

    assert (await store.summary(make.alice)).oldest_due_seconds is None


async def test_a_running_job_is_not_due(store: Store, make: Factory, clock: Clock) -> None:
    await make.lease()
    clock.advance(10)

    assert (await store.summary(make.alice)).oldest_due_seconds is None


async def test_counts_are_capped_and_say_so(store: Store, make: Factory) -> None:
    await make.jobs(10_000)
    await make.job()

    summary = await store.summary(make.alice)

    assert (summary.ready, summary.is_capped) == (10_000, True)


async def test_charlie_counts_nothing_of_alices(store: Store, make: Factory, clock: Clock) -> None:
    for state in reversed(STATES):
        await make.in_state(state)
    clock.advance(60)

    assert await store.summary(make.charlie) == NOTHING
    assert await store.summary(uuid4()) == NOTHING
