"""How much a tenant may have waiting, and how large a request may be. One over a limit is refused, and alone."""

from __future__ import annotations

import pytest

from jobplane.core.model import Json, NewJob, Outcome
from tests.client import Store
from tests.conformance.factory import Factory, new


async def test_the_thousandth_pending_job_is_taken_and_the_next_refused(store: Store, make: Factory) -> None:
    tenant = await make.tenant("small", max_pending=1000)
    await make.jobs(999, tenant=tenant)

    last, over = await make.enqueue(new(), new(), tenant=tenant)
    [later] = await make.enqueue(new(), tenant=tenant)

    assert last.created
    assert (over.error_code, later.error_code) == ("quota_exceeded", "quota_exceeded")
    assert over.error == "Job limit exceeded for tenant"
    assert (await store.summary(tenant)).queued == 1000


async def test_running_jobs_are_pending_and_ended_ones_are_not(store: Store, make: Factory) -> None:
    await store.set_tenant(make.alice, {"max_pending": 2})
    lease = await make.lease()
    await make.job(delay_seconds=60)
    [refused] = await make.enqueue(new())
    await make.settle(lease, Outcome.SUCCEEDED)

    assert refused.error_code == "quota_exceeded"
    assert (await make.enqueue(new()))[0].created
    assert (await make.enqueue(new()))[0].refused


async def test_a_pending_limit_can_be_nothing_and_can_be_taken_away(store: Store, make: Factory) -> None:
    await store.set_tenant(make.alice, {"max_pending": 0})
    assert (await make.enqueue(new()))[0].error_code == "quota_exceeded"

    await store.set_tenant(make.alice, {"max_pending": None})

    assert (await make.enqueue(new()))[0].created


async def test_a_duplicate_needs_no_room(store: Store, make: Factory) -> None:
    await store.set_tenant(make.alice, {"max_pending": 1})
    there = await make.job(dedupe_key="k", idempotency_key="i")

    answers = await make.enqueue(new(dedupe_key="k"), new(idempotency_key="i"), new(id=there))

    assert [(answer.outcome, answer.job_id) for answer in answers] == [("existing", there)] * 3


async def test_a_row_without_room_gives_its_keys_back(store: Store, make: Factory) -> None:
    await store.set_tenant(make.alice, {"max_pending": 0})
    await make.enqueue(new(dedupe_key="k", idempotency_key="i", payload={"n": 1}))
    await store.set_tenant(make.alice, {"max_pending": 1})

    [answer] = await make.enqueue(new(dedupe_key="k", idempotency_key="i", payload={"n": 2}))

    assert answer.created


@pytest.mark.parametrize("key", ["dedupe_key", "idempotency_key"])
async def test_a_duplicate_of_a_row_without_room_is_refused_too(store: Store, make: Factory, key: str) -> None:
    await store.set_tenant(make.alice, {"max_pending": 1})
    await make.job()
    row = new(dedupe_key="k") if key == "dedupe_key" else new(idempotency_key="k")

    answers = await make.enqueue(row, row)

    assert [(answer.outcome, answer.error_code) for answer in answers] == [("refused", "quota_exceeded")] * 2


async def test_charlie_is_not_counted_with_alice(store: Store, make: Factory) -> None:
    await store.set_tenant(make.alice, {"max_pending": 1})
    await make.job()

    assert (await make.enqueue(new(), tenant=make.charlie))[0].created


def deep(levels: int) -> dict[str, Json]:
    """An object of so many levels, its innermost value among them."""
    document: Json = 1
    for _ in range(levels - 2):
        document = [document]
    return {"x": document}


WITHIN = {
    "bytes": new(payload={"x": "a" * (65_536 - 9)}),
    "levels": new(payload=deep(64)),
    "values": new(payload={"x": [1] * 9_998}),
    "keys": new(payload={str(n): 1 for n in range(6_000)}),
    "priority": new(priority=1000),
    "max_attempts": new(max_attempts=1000),
    "timeout_seconds": new(timeout_seconds=2_592_000),
    "dedupe_key": new(dedupe_key="ä" * 500),
    "idempotency_key": new(idempotency_key="ä" * 500),
    "correlation_id": new(correlation_id="ä" * 500),
    "source_ref": new(source_ref="ä" * 500),
    "created_by": new(created_by="ä" * 500),
    "artifact_ref": new(artifact_ref="ä" * 500),
    "trace_context": new(trace_context="t" * 500),
    "tags": new(tags=["t" * 200] * 50),
    "metadata": new(metadata={f"{n:0100}": "m" * 498 for n in range(50)}),
}
BEYOND = {
    "bytes": new(payload={"x": "a" * (65_537 - 8)}),
    "levels": new(payload=deep(65)),
    "levels of objects": new(payload={"x": {"y": deep(64)}}),
    "values": new(payload={"x": [1] * 9_999}),
    "priority": new(priority=1001),
    "priority below": new(priority=-1),
    "max_attempts": new(max_attempts=1001),
    "max_attempts below": new(max_attempts=0),
    "timeout_seconds": new(timeout_seconds=2_592_001),
    "timeout_seconds below": new(timeout_seconds=0),
    "dedupe_key": new(dedupe_key="ä" * 501),
    "dedupe_key below": new(dedupe_key=""),
    "idempotency_key": new(idempotency_key="ä" * 501),
    "correlation_id": new(correlation_id="ä" * 501),
    "source_ref": new(source_ref="ä" * 501),
    "created_by": new(created_by="ä" * 501),
    "artifact_ref": new(artifact_ref="ä" * 501),
    "trace_context": new(trace_context="t" * 100_000),
    "tags": new(tags=["t"] * 51),
    "a tag": new(tags=["t" * 201]),
    "a tag below": new(tags=[""]),
    "metadata": new(metadata={str(n): 1 for n in range(51)}),
    "a key of metadata": new(metadata={"k" * 101: 1}),
    "a value of metadata": new(metadata={"k": "m" * 501}),
}


async def outcomes(make: Factory, rows: dict[str, NewJob]) -> dict[str, str]:
    answers = await make.enqueue(*rows.values())
    return {name: answer.outcome for name, answer in zip(rows, answers, strict=True)}


async def test_what_is_within_its_limit_is_taken(make: Factory) -> None:
    assert await outcomes(make, WITHIN) == dict.fromkeys(WITHIN, "created")


async def test_what_is_beyond_its_limit_is_refused(make: Factory) -> None:
    assert await outcomes(make, BEYOND) == dict.fromkeys(BEYOND, "refused")
    assert await make.count() == 0


async def test_a_large_payload_is_told_where_to_go(make: Factory) -> None:
    [answer] = await make.enqueue(BEYOND["bytes"])

    assert answer.error_code == "invalid_payload"
    assert "artifact_ref" in (answer.error or "")
