from __future__ import annotations

from jobplane.core.leases import Reaped
from tests.client import Store, WorkerStore
from tests.clock import Clock
from tests.conformance.factory import Factory


async def test_what_was_reaped_is_named(store: Store, worker_store: WorkerStore, make: Factory, clock: Clock) -> None:
    begun = await make.lease(max_attempts=1, trace_context="00-1-2-01", correlation_id="c-1")
    await make.job()
    waiting = (await worker_store.claim_encoded("default", "w1", limit=1, lease_seconds=30)).leases
    clock.advance(31)

    slug = (await store.get_tenant(make.alice)).slug
    found = {reaped.outcome: reaped for reaped in await worker_store.reap_all()}

    assert len(waiting) == 1
    assert found["lost"] == Reaped(
        begun.job_id, make.alice, begun.definition_key, 1, "w1", "00-1-2-01", "lost", "dead_letter", 31_000, slug, "c-1"
    )
    assert (found["released"].status, found["released"].held_ms) == ("queued", 31_000)
    assert await worker_store.reap_all() == []
