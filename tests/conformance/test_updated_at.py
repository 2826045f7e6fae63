"""`updated_at` moves with every change of the record, on both stores."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final, TypeAlias
from uuid import UUID

import pytest

from jobplane.core.model import OnDuplicate, Outcome
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import Factory, new

Change: TypeAlias = Callable[[Store, Factory, UUID], Awaitable[object]]


async def claim(_: Store, make: Factory, __: UUID) -> None:
    assert len(await make.claim()) == 1


async def cancel(store: Store, make: Factory, job_id: UUID) -> None:
    await store.cancel(make.alice, [job_id], reason="no more")


async def retry(store: Store, make: Factory, job_id: UUID) -> None:
    await store.retry(make.alice, [job_id])


async def edit(store: Store, make: Factory, job_id: UUID) -> None:
    await store.edit(make.alice, job_id, {"priority": 7})


async def reschedule(store: Store, make: Factory, job_id: UUID) -> None:
    await store.reschedule(make.alice, [job_id], delay_seconds=3600)


async def replace(_: Store, make: Factory, __: UUID) -> None:
    [answer] = await make.enqueue(new(dedupe_key="k", on_duplicate=OnDuplicate.REPLACE, payload={}))
    assert answer.outcome == "replaced"


async def postpone(_: Store, make: Factory, __: UUID) -> None:
    [answer] = await make.enqueue(new(dedupe_key="k", on_duplicate=OnDuplicate.POSTPONE, delay_seconds=60))
    assert answer.outcome == "postponed"


WAITING: Final[dict[str, Change]] = {
    "claim": claim,
    "cancel": cancel,
    "edit": edit,
    "reschedule": reschedule,
    "replace": replace,
    "postpone": postpone,
}


@pytest.mark.parametrize("change", WAITING)
async def test_a_change_of_a_waiting_job_is_an_update(store: Store, make: Factory, clock: Clock, change: str) -> None:
    job_id = await make.job(dedupe_key="k")
    assert (await make.get(job_id)).updated_at == clock.now()
    clock.advance(10)

    await WAITING[change](store, make, job_id)

    assert (await make.get(job_id)).updated_at == clock.now()


ENDINGS: Final = (Outcome.SUCCEEDED, Outcome.FAILED, Outcome.FATAL, Outcome.TIMEOUT, Outcome.CANCELED, Outcome.RELEASED)


@pytest.mark.parametrize("outcome", ENDINGS)
async def test_the_end_of_an_attempt_is_an_update(make: Factory, clock: Clock, outcome: Outcome) -> None:
    held = await make.lease()
    clock.advance(10)

    await make.settle(held, outcome)

    assert (await make.get(held.job_id)).updated_at == clock.now()


async def test_a_request_to_cancel_is_an_update(store: Store, make: Factory, clock: Clock) -> None:
    held = await make.lease()
    clock.advance(10)
    await cancel(store, make, held.job_id)
    asked_at = clock.now()
    clock.advance(10)
    await cancel(store, make, held.job_id)

    assert (await make.get(held.job_id)).updated_at == asked_at


async def test_a_renewal_is_an_update(store: Store, make: Factory, clock: Clock) -> None:
    held = await make.lease()
    for _ in range(2):
        clock.advance(10)
        await store.renew([held])

        job = await make.get(held.job_id)
        assert job.updated_at == clock.now()
        assert job.lease_expires_at == clock.now() + timedelta(seconds=30)


async def test_a_lease_that_is_reaped_is_an_update(store: Store, make: Factory, clock: Clock) -> None:
    held = await make.lease()
    clock.advance(60)

    await store.reap()

    assert (await make.get(held.job_id)).updated_at == clock.now()


@pytest.mark.parametrize("outcome", [Outcome.FATAL, Outcome.CANCELED])
async def test_a_persons_retry_is_an_update(store: Store, make: Factory, clock: Clock, outcome: Outcome) -> None:
    held = await make.lease()
    await make.settle(held, outcome)
    clock.advance(10)

    await retry(store, make, held.job_id)

    assert (await make.get(held.job_id)).updated_at == clock.now()


async def test_a_job_that_comes_due_was_updated_then(store: Store, make: Factory, clock: Clock) -> None:
    job_id = await make.job(delay_seconds=60)
    made_at = clock.now()
    clock.advance(30)
    assert (await make.get(job_id)).updated_at == made_at
    clock.advance(30)

    await store.promote()

    assert (await make.get(job_id)).updated_at == made_at + timedelta(seconds=60)


async def test_a_job_that_expires_is_updated(store: Store, make: Factory, clock: Clock) -> None:
    job_id = await make.job(expires_at=clock.now() + timedelta(seconds=5))
    clock.advance(10)

    await store.expire()

    assert (await make.get(job_id)).updated_at == clock.now()


async def test_an_update_never_goes_back(store: Store, make: Factory, clock: Clock) -> None:
    job_id = await make.job()
    seen = [(await make.get(job_id)).updated_at]

    async def look() -> None:
        seen.append((await make.get(job_id)).updated_at)
        clock.advance(10)

    clock.advance(10)
    await edit(store, make, job_id)
    await look()
    await store.promote()
    [held] = await make.claim()
    await look()
    await store.renew([held])
    await look()
    await make.settle(held, Outcome.FATAL)
    await look()
    await retry(store, make, job_id)
    await look()
    await cancel(store, make, job_id)
    await look()

    assert seen == sorted(set(seen))
    assert len(seen) == 7
