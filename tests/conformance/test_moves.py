"""The table of design.md, section 3: every verb against a job in every state. What is not legal changes nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final
from uuid import UUID, uuid4

import pytest

from jobplane.core.leases import Settled
from jobplane.core.model import Moved, Outcome
from tests.client import Store
from tests.conformance.factory import ENDS, STATES, Factory, ended
from tests.leases import Held

Verb = Callable[[Store, UUID, UUID], Awaitable[list[Moved]]]


async def cancel(store: Store, tenant: UUID, job_id: UUID) -> list[Moved]:
    return await store.cancel(tenant, [job_id])


async def retry(store: Store, tenant: UUID, job_id: UUID) -> list[Moved]:
    return await store.retry(tenant, [job_id])


async def reschedule(store: Store, tenant: UUID, job_id: UUID) -> list[Moved]:
    return await store.reschedule(tenant, [job_id], delay_seconds=60)


async def edit(store: Store, tenant: UUID, job_id: UUID) -> list[Moved]:
    return [await store.edit(tenant, job_id, {"priority": 7})]


ILLEGAL: Final = "illegal_move"
# verb: what it answers for a job that waits, that runs, that succeeded, and that ended otherwise
TABLE: Final[dict[Verb, tuple[str, str, str, str]]] = {
    cancel: ("canceled", "requested", "ended", "ended"),
    retry: (ILLEGAL, ILLEGAL, ILLEGAL, "queued"),
    reschedule: ("queued", ILLEGAL, ILLEGAL, ILLEGAL),
    edit: ("queued", ILLEGAL, ILLEGAL, ILLEGAL),
}
AFTER: Final = {"canceled": "canceled", "queued": "queued", "requested": "running"}


def expected(verb: Verb, state: str) -> str:
    waits, runs, succeeded, else_ended = TABLE[verb]
    return {"running": runs, "succeeded": succeeded}.get(state, else_ended if state in ENDS else waits)


@pytest.mark.parametrize("state", STATES)
async def test_what_a_person_may_do(store: Store, make: Factory, state: str) -> None:
    for verb in TABLE:
        job_id = await make.in_state(state)
        before = await make.get(job_id)

        [moved] = await verb(store, make.alice, job_id)

        after = await make.get(job_id)
        outcome = expected(verb, state)
        assert moved == Moved(job_id, outcome, after.status), verb
        if outcome in (ILLEGAL, "ended"):
            assert after == before, verb
        else:
            assert after.status == AFTER[outcome], verb
        await store.cancel(make.alice, [job_id])


async def lease_of(make: Factory, state: str) -> Held:
    """The lease that a job had before it came to this state."""
    lease = await make.lease(max_attempts=1)
    if state in ENDS:
        await make.settle(lease, ENDS[state])
        return lease
    await make.store.release([lease], after=3600 if state == "upcoming" else 0)
    await make.store.promote()
    if state == "held":
        await make.define(active=False)
        await make.claim()
    return lease


@pytest.mark.parametrize("state", [state for state in STATES if state != "running"])
async def test_a_worker_needs_the_lease_for_everything(store: Store, make: Factory, state: str) -> None:
    once = await lease_of(make, state)
    lease = once._replace(token=uuid4())
    before = await make.get(once.job_id)

    renewed = await store.renew([lease], progress=[0.5])
    released = await store.release([lease])
    settled = [await store.settle([ended(lease, outcome)]) for outcome in Outcome]

    assert [answer.answer for answer in renewed] == ["gone"]
    refused = [Settled(lease.seq, lease.attempt_no, accepted=False, status="stale")]
    assert [released, *settled] == [refused] * (1 + len(Outcome))
    assert await make.get(once.job_id) == before


async def test_only_what_is_ready_is_claimed(store: Store, make: Factory) -> None:
    for state in STATES:
        job_id = await make.in_state(state)

        assert await make.claim_ids(10) == ([job_id] if state == "ready" else []), state
        await store.cancel(make.alice, [job_id])
