from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from jobplane.core.errors import TenantNotFound
from jobplane.core.model import Enqueued, Job, JobStatus, NewJob, OnDuplicate
from tests.client import Store
from tests.clock import Clock
from tests.conformance.backend import Backend
from tests.conformance.factory import Factory, new

HOUR = timedelta(hours=1)


def plain(make: Factory, clock: Clock, backend: Backend, job_id: UUID) -> Job:
    """A job that was asked for with nothing but its definition."""
    return Job(
        id=job_id,
        tenant_id=make.alice,
        definition_key="d",
        queue="default",
        status=JobStatus.QUEUED,
        priority=100,
        payload={},
        source="manual",
        source_ref=None,
        correlation_id=None,
        created_by=None,
        trace_context=None,
        artifact_ref=None,
        dedupe_key=None,
        idempotency_key=None,
        tags=[],
        metadata={},
        created_at=clock.now(),
        scheduled_for=clock.now(),
        expires_at=None,
        started_at=None,
        first_started_at=None,
        finished_at=None,
        attempt_no=0,
        attempts=0,
        max_attempts=3,
        timeout_seconds=3600,
        worker_id=None,
        lease_expires_at=None,
        cancel_requested_at=None,
        cancel_reason=None,
        held_by=None,
        reason=None,
        error=None,
        progress=None,
        progress_message=None,
        result=None,
        canceled_at=None,
        trigger_id=None,
        planned_at=None,
        triggered_by={"type": "login", "id": backend.login},
        updated_at=clock.now(),
    )


async def test_a_plain_job_has_the_defaults(make: Factory, clock: Clock, backend: Backend) -> None:
    job_id = await make.job()

    assert await make.get(job_id) == plain(make, clock, backend, job_id)


async def test_every_option_reads_back(store: Store, make: Factory, clock: Clock, backend: Backend) -> None:
    await store.put_queues(["sync"])
    asked = new(
        payload={"width": 80, "nested": [{"ä": None}, True, 1.5]},
        id=uuid4(),
        queue="sync",
        priority=7,
        scheduled_for=clock.now() + HOUR,
        expires_at=clock.now() + 2 * HOUR,
        dedupe_key="dedupe",
        idempotency_key="idempotency",
        correlation_id="correlation",
        tags=["red", "grün"],
        metadata={"owner": "bob", "n": 3},
        source="event",
        source_ref="event-1",
        created_by="alice@example.org",
        trace_context="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        artifact_ref="reports/2026.csv",
        max_attempts=9,
        timeout_seconds=60,
    )
    [answer] = await make.enqueue(asked)
    assert answer == Enqueued(asked.id, "created", None, None)

    [job] = await store.get_jobs(make.alice, [answer.job_id or uuid4()])

    given = {name: getattr(asked, name) for name in NewJob.__slots__ if hasattr(job, name)}
    assert job == replace(plain(make, clock, backend, job.id), **given)


async def test_a_delay_counts_from_the_stores_own_clock(make: Factory, clock: Clock) -> None:
    job_id = await make.job(delay_seconds=1.25)

    assert (await make.get(job_id)).scheduled_for == clock.now() + timedelta(seconds=1.25)


async def test_a_job_keeps_the_policy_it_was_enqueued_with(store: Store, make: Factory) -> None:
    await store.put_queues(["other"])
    before = await make.get(await make.job())

    await make.define(max_attempts=9, timeout_seconds=5, priority=1, queue="other")

    assert await make.get(before.id) == before
    after = await make.get(await make.job())
    assert (after.max_attempts, after.timeout_seconds, after.priority, after.queue) == (9, 5, 1, "other")


async def test_a_definition_without_a_timeout_gives_none(make: Factory) -> None:
    await make.define("patient", timeout_seconds=None)

    assert (await make.get(await make.job(definition="patient"))).timeout_seconds is None


async def test_each_row_of_a_mixed_batch_has_its_own_answer(store: Store, make: Factory) -> None:
    await make.define("off", active=False)
    there = await make.job(dedupe_key="there", payload={"n": 1})
    told = await make.job(idempotency_key="told", payload={"n": 1})

    answers = await make.enqueue(
        new(correlation_id="first"),
        new(definition="nobody-knows"),
        new(definition="off"),
        new(queue="nowhere"),
        new(payload={"x": float("nan")}),
        new(priority=1001),
        new(dedupe_key="there"),
        new(dedupe_key="there", payload={"n": 2}, on_duplicate=OnDuplicate.REPLACE),
        new(dedupe_key="there", delay_seconds=60, on_duplicate=OnDuplicate.POSTPONE),
        new(idempotency_key="told", payload={"n": 1}),
        new(idempotency_key="told", payload={"n": 2}),
        new(correlation_id="last"),
    )

    assert [(answer.outcome, answer.error_code) for answer in answers] == [
        ("created", None),
        ("refused", "unknown_definition"),
        ("refused", "definition_inactive"),
        ("refused", "unknown_queue"),
        ("refused", "invalid_payload"),
        ("refused", "invalid"),
        ("existing", None),
        ("replaced", None),
        ("postponed", None),
        ("existing", None),
        ("refused", "idempotency_mismatch"),
        ("created", None),
    ]
    assert [answer.job_id for answer in answers[6:10]] == [there, there, there, told]
    assert all(answer.error for answer in answers if answer.refused)
    ends = [answer.job_id for answer in (answers[0], answers[-1]) if answer.job_id]
    assert [job.correlation_id for job in await store.get_jobs(make.alice, ends)] == ["first", "last"]
    assert await make.count() == 4


async def test_a_refusal_names_what_was_wrong(make: Factory) -> None:
    answers = await make.enqueue(new(definition="nobody-knows"), new(queue="nowhere"), new(max_attempts=0))

    errors = [answer.error or "" for answer in answers]
    assert '"nobody-knows"' in errors[0]
    assert '"nowhere"' in errors[1]
    assert "max_attempts must be between 1 and 1000, not 0" in errors[2]


async def test_an_empty_batch_is_an_empty_answer(make: Factory) -> None:
    assert await make.enqueue() == []


async def test_ten_thousand_jobs_go_in_one_call(store: Store, make: Factory) -> None:
    answers = await make.enqueue(*[new(correlation_id=str(n)) for n in range(10_000)])

    assert all(answer.created for answer in answers)
    ids = [answer.job_id for answer in answers if answer.job_id]
    assert len(set(ids)) == 10_000
    assert [job.correlation_id for job in await store.get_jobs(make.alice, ids[::999])] == [
        str(n) for n in range(0, 10_000, 999)
    ]


async def test_the_same_id_again_is_the_same_job(make: Factory) -> None:
    job_id = await make.job(id=uuid4(), payload={"n": 1})

    [answer] = await make.enqueue(new(id=job_id, payload={"n": 1}))

    assert (answer.outcome, answer.job_id) == ("existing", job_id)
    assert await make.count() == 1


async def test_the_same_id_twice_in_a_batch_is_one_job_and_sinks_no_other(make: Factory) -> None:
    job_id = uuid4()

    answers = await make.enqueue(new(id=job_id), new(), new(id=job_id))

    assert [answer.outcome for answer in answers] == ["created", "created", "existing"]
    assert answers[2].job_id == job_id


async def test_who_has_the_id_of_a_row_that_met_a_job_meets_the_same(make: Factory) -> None:
    job_id = uuid4()
    [by_receipt] = await make.jobs(1, idempotency_key="r")
    [by_dedupe] = await make.jobs(1, dedupe_key="k")

    for there, first in [
        (by_receipt, new(id=job_id, idempotency_key="r")),
        (by_dedupe, new(id=job_id, dedupe_key="k")),
    ]:
        answers = await make.enqueue(first, new(id=job_id))

        assert [(answer.outcome, answer.job_id) for answer in answers] == [("existing", there)] * 2


async def test_who_has_the_id_of_a_row_that_is_refused_is_refused_too(make: Factory) -> None:
    job_id = uuid4()
    await make.job(idempotency_key="r")

    answers = await make.enqueue(new(id=job_id, idempotency_key="r", payload={"n": 2}), new(id=job_id))

    assert [answer.error_code for answer in answers] == ["idempotency_mismatch"] * 2
    assert await make.count() == 1


async def test_who_has_the_id_of_a_faulty_row_is_the_job(make: Factory) -> None:
    job_id = uuid4()

    answers = await make.enqueue(new(id=job_id, priority=-1), new(id=job_id), new(id=job_id))

    assert [answer.outcome for answer in answers] == ["refused", "created", "existing"]
    assert (await make.get(job_id)).id == job_id


async def test_the_four_sources_are_kept(make: Factory) -> None:
    sources = ["manual", "event", "schedule", "system"]

    jobs = [await make.get(await make.job(source=source, source_ref=f"{source}-1")) for source in sources]

    assert [(job.source, job.source_ref) for job in jobs] == [(source, f"{source}-1") for source in sources]


async def test_an_unknown_tenant_is_an_error(store: Store, make: Factory) -> None:
    with pytest.raises(TenantNotFound):
        await store.enqueue(uuid4(), [new()])


async def test_charlie_can_use_every_key_of_alices_and_learns_nothing(make: Factory) -> None:
    mine = new(id=uuid4(), dedupe_key="k", idempotency_key="k", payload={"secret": 1})
    await make.enqueue(mine)

    [answer] = await make.enqueue(replace(mine, payload={}), tenant=make.charlie)

    assert answer.created
    assert (await make.get(mine.id or uuid4())).payload == {"secret": 1}
    assert await make.count(make.charlie) == 1
