from __future__ import annotations

import pytest

from jobplane.control.upkeep import Upkeep
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
        *(begun.job_id, make.alice, begun.definition_key, 1, "w1", "00-1-2-01", "lost", "dead_letter", 31_000, slug),
        *("c-1", "lease_expired", 0, None),
    )
    assert (found["released"].status, found["released"].held_ms) == ("queued", 31_000)
    assert (found["released"].attempts_left, found["released"].next_at) == (3, clock.now())
    assert await worker_store.reap_all() == []


async def test_a_reaped_attempt_says_what_is_left_and_when_the_next_one_starts(
    worker_store: WorkerStore, make: Factory, clock: Clock
) -> None:
    await make.lease(max_attempts=3)
    clock.advance(31)

    [reaped] = await worker_store.reap_all()

    assert (reaped.status, reaped.reason, reaped.attempts_left) == ("queued", "lease_expired", 2)
    assert reaped.next_at is not None
    assert 0 <= (reaped.next_at - clock.now()).total_seconds() <= 1


async def test_upkeep_says_what_it_reaped_wherever_it_runs(
    store: Store, make: Factory, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    last = await make.lease(max_attempts=1, correlation_id="c-1")
    again = await make.lease(max_attempts=2)
    clock.advance(31)

    await Upkeep(store).run_once()

    count, *named = [vars(record)["facts"] for record in caplog.records if record.name == "jobplane.upkeep"]
    assert {record.levelname for record in caplog.records if record.name == "jobplane.upkeep"} == {"WARNING"}
    assert "2 leases of lost workers have expired. Status of the jobs now: 1 dead_letter, 1 queued." in caplog.text
    assert (count["event"], count["attempts"]) == ("leases_reaped", 2)
    assert {each["job_id"]: (each["status"], each.get("correlation_id")) for each in named} == {
        str(last.job_id): ("dead_letter", "c-1"),
        str(again.job_id): ("queued", None),
    }
    told = {each["job_id"]: (each["reason"], each["attempts_left"], each["next_at"] is not None) for each in named}
    assert told == {str(last.job_id): ("lease_expired", 0, False), str(again.job_id): ("lease_expired", 1, True)}
    assert "The job is queued again." in caplog.text
    slug = (await store.get_tenant(make.alice)).slug
    assert {(each["event"], each["tenant"], each["worker_id"]) for each in named} == {("attempt_reaped", slug, "w1")}
