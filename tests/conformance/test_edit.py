from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest

from jobplane.core.errors import Invalid, InvalidPayload, UnknownQueue
from jobplane.core.model import Document, JobStatus, Json, Moved, Outcome
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import Factory


async def test_everything_that_can_be_edited_reads_back(store: Store, make: Factory, clock: Clock) -> None:
    await store.put_queues(["other"])
    before = await make.get(await make.job(tags=["old"], metadata={"old": 1}))
    expires_at = clock.now() + timedelta(hours=1)

    moved = await store.edit(
        make.alice,
        before.id,
        {
            "payload": {"n": 2},
            "priority": 7,
            "queue": "other",
            "max_attempts": 9,
            "timeout_seconds": 60,
            "expires_at": expires_at.isoformat(),
            "tags": ["new", "ü"],
            "metadata": {"new": [1]},
        },
    )

    assert moved == Moved(before.id, "queued", JobStatus.QUEUED)
    assert await make.get(before.id) == replace(
        before,
        payload={"n": 2},
        priority=7,
        queue="other",
        max_attempts=9,
        timeout_seconds=60,
        expires_at=expires_at,
        tags=["new", "ü"],
        metadata={"new": [1]},
    )


async def test_what_is_not_named_stays(store: Store, make: Factory, clock: Clock) -> None:
    options: Document = {"tags": ["t"], "metadata": {"m": 1}}
    job_id = await make.job(
        payload={"n": 1}, tags=["t"], metadata={"m": 1}, priority=5, expires_at=clock.now() + timedelta(days=1)
    )
    before = await make.get(job_id)

    await store.edit(make.alice, job_id, {"timeout_seconds": 9})
    await store.edit(make.alice, job_id, {})

    assert await make.get(job_id) == replace(before, timeout_seconds=9)
    assert options == {"tags": before.tags, "metadata": before.metadata}


async def test_null_takes_away_what_may_be_missing(store: Store, make: Factory, clock: Clock) -> None:
    job_id = await make.job(tags=["t"], metadata={"m": 1}, expires_at=clock.now() + timedelta(seconds=10))
    nothing: Document = {"timeout_seconds": None, "expires_at": None, "tags": None, "metadata": None}

    await store.edit(make.alice, job_id, nothing)

    job = await make.get(job_id)
    assert (job.timeout_seconds, job.expires_at, job.tags, job.metadata) == (None, None, [], {})
    clock.advance(11)
    assert await store.expire() == 0
    assert (await make.again()).job_id == job_id


async def test_an_edited_job_runs_as_edited(store: Store, make: Factory) -> None:
    await store.put_queues(["other"])
    first = await make.job(priority=200)
    job_id = await make.job(priority=100)
    await store.edit(make.alice, job_id, {"payload": {"n": 2}, "queue": "other", "timeout_seconds": 5})
    await store.promote()

    [lease] = await make.claim(queue="other")

    assert (lease.job_id, lease.payload, lease.timeout_seconds) == (job_id, {"n": 2}, 5)
    assert await make.claim_ids(10) == [first]


async def test_an_edited_priority_decides_the_order(store: Store, make: Factory) -> None:
    first, second = await make.jobs(2)
    await store.edit(make.alice, second, {"priority": 1})
    await store.promote()
    await store.tick()

    assert [job_id for _ in range(2) for job_id in await make.claim_ids()] == [second, first]


async def test_another_budget_leaves_the_attempts_that_were_made(store: Store, make: Factory) -> None:
    lease = await make.lease(max_attempts=2)
    await make.settle(lease, Outcome.FAILED, retry_after=0)

    await store.edit(make.alice, lease.job_id, {"max_attempts": 4})

    job = await make.get(lease.job_id)
    assert (job.attempts, job.max_attempts) == (1, 4)
    assert (await make.again()).attempts_left == 2


async def test_a_budget_below_what_was_spent_leaves_one_attempt(store: Store, make: Factory) -> None:
    lease = await make.lease(max_attempts=3)
    await make.settle(lease, Outcome.FAILED, retry_after=0)
    await make.settle(await make.again(), Outcome.FAILED, retry_after=0)

    await store.edit(make.alice, lease.job_id, {"max_attempts": 1})

    assert (await make.again()).attempts_left == 0


async def test_a_job_that_would_have_expired_is_put_off(store: Store, make: Factory, clock: Clock) -> None:
    job_id = await make.job(expires_at=clock.now() + timedelta(seconds=10))
    later = clock.now() + timedelta(seconds=20)
    await store.edit(make.alice, job_id, {"expires_at": later.isoformat()})

    clock.advance(15)
    assert await store.expire() == 0
    clock.advance(5)
    assert await store.expire() == 1


BAD: list[tuple[dict[str, Json], type[Invalid]]] = [
    ({"payload": []}, InvalidPayload),
    ({"payload": None}, InvalidPayload),
    ({"payload": {"x": "a" * 65_536}}, InvalidPayload),
    ({"payload": {"x": "\x00"}}, Invalid),
    ({"payload": {"x": "\ud800"}}, Invalid),
    ({"payload": {"x": float("nan")}}, Invalid),
    ({"payload": {"x": 10**400}}, Invalid),
    ({"priority": 1001}, Invalid),
    ({"priority": -1}, Invalid),
    ({"priority": "high"}, Invalid),
    ({"priority": 2**40}, Invalid),
    ({"priority": 1.5}, Invalid),
    ({"max_attempts": 0}, Invalid),
    ({"timeout_seconds": 0}, Invalid),
    ({"expires_at": "tomorrow"}, Invalid),
    ({"expires_at": "infinity"}, Invalid),
    ({"expires_at": "9999-06-01T00:00:00Z"}, Invalid),
    ({"expires_at": "1999-12-31T00:00:00Z"}, Invalid),
    ({"expires_at": "2026-02-01T00:00:00"}, Invalid),
    ({"tags": "red"}, Invalid),
    ({"tags": [1]}, Invalid),
    ({"tags": [""]}, Invalid),
    ({"metadata": []}, Invalid),
    ({"metadata": {"k" * 101: 1}}, Invalid),
    ({"queue": "nowhere"}, UnknownQueue),
    ({"status": "succeeded"}, Invalid),
    ({"definition": "other"}, Invalid),
    ({"scheduled_for": "2026-02-01T00:00:00Z"}, Invalid),
]


async def test_a_change_that_cannot_be_is_refused_and_changes_nothing(store: Store, make: Factory) -> None:
    job_id = await make.job(payload={"n": 1})
    before = await make.get(job_id)
    accepted: list[Document] = []
    for changes, error in BAD:
        try:
            await store.edit(make.alice, job_id, {**changes, "timeout_seconds": changes.get("timeout_seconds", 5)})
        except error:
            continue
        accepted.append(changes)

    assert accepted == []
    assert await make.get(job_id) == before


async def test_an_id_that_is_not_there_is_said_to_be(store: Store, make: Factory) -> None:
    nobody = uuid4()

    assert await store.edit(make.alice, nobody, {"priority": 1}) == Moved(nobody, "not_found", None)


async def test_charlie_cannot_edit_alices_job(store: Store, make: Factory) -> None:
    job_id = await make.job()
    before = await make.get(job_id)

    assert await store.edit(make.charlie, job_id, {"priority": 1}) == Moved(job_id, "not_found", None)
    assert await make.get(job_id) == before


async def test_what_was_wrong_is_named(store: Store, make: Factory) -> None:
    job_id = await make.job()

    with pytest.raises(Invalid, match="statsu"):
        await store.edit(make.alice, job_id, {"statsu": "queued"})
    with pytest.raises(UnknownQueue, match="nowhere"):
        await store.edit(make.alice, job_id, {"queue": "nowhere"})
