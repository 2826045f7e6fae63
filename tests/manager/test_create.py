from __future__ import annotations

import inspect
from datetime import timedelta, timezone
from uuid import UUID, uuid4

import pytest

from jobplane.api.manager import JobManager, JobRecord
from jobplane.core.errors import InvalidPayload
from jobplane.core.model import DEFAULT_TENANT, NewJob
from tests.clock import START
from tests.manager.clocks import Hands
from tests.manager.hand import EXPORT, Desk


async def test_a_new_job_has_every_field_of_a_record(desk: Desk, clock: Hands) -> None:
    job = await desk.create(owner_user_id="u1", project_id=7, idempotency_key="k1")

    assert job == JobRecord(
        id=job["id"],
        uuid=job["id"],
        domain="chatbooks",
        queue="default",
        job_type="export",
        owner_user_id="u1",
        project_id=7,
        idempotency_key="k1",
        payload={"name": "Weekly Backup"},
        result=None,
        status=job["status"],
        priority=5,
        max_retries=3,
        retry_count=0,
        available_at=START,
        leased_until=None,
        lease_id=None,
        worker_id=None,
        acquired_at=None,
        error_message=None,
        last_error=None,
        cancel_requested_at=None,
        cancelled_at=None,
        cancellation_reason=None,
        created_at=START,
        updated_at=START,
        completed_at=None,
        undecodable=(),
    )
    assert isinstance(job["id"], UUID)
    assert job["status"] == "queued"


def test_create_job_has_the_signature_that_its_users_know() -> None:
    parameters = inspect.signature(JobManager.create_job).parameters
    positional = [p for p in parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD][1:]

    assert [p.name for p in positional] == [
        *("domain", "queue", "job_type", "payload", "owner_user_id", "project_id", "priority", "max_retries"),
    ]
    assert [p.default for p in positional[5:]] == [None, 5, 3]


async def test_the_id_finds_the_job_as_a_uuid_and_as_text(desk: Desk) -> None:
    job = await desk.create()

    assert await desk.jm.get_job(job["id"]) == job
    assert await desk.jm.get_job(str(job["id"])) == job
    assert await desk.jm.get_job_by_uuid(job["uuid"]) == job
    assert await desk.jm.get_job(uuid4()) is None


async def test_a_job_type_is_registered_at_its_first_use(desk: Desk) -> None:
    await desk.create()
    await desk.create()
    await desk.another().create_job(**EXPORT)

    [definition] = await desk.store.definitions(["chatbooks.default.export"])
    assert (definition.queue, definition.origin, definition.arg_schema) == (
        "chatbooks.default",
        "manager",
        {"type": "object"},
    )
    assert definition.timeout_seconds is None


async def test_what_a_person_has_set_at_a_job_type_is_kept(desk: Desk) -> None:
    await desk.create()
    await desk.store.put_definitions([{"key": "chatbooks.default.export", "max_running": 2}])

    await desk.another().create_job(**EXPORT)

    [definition] = await desk.store.definitions(["chatbooks.default.export"])
    assert definition.max_running == 2


async def test_a_definition_that_code_has_made_stays_what_it_is(desk: Desk) -> None:
    schema = {"type": "object", "required": ["name"]}
    document = {"key": "chatbooks.default.export", "kind": "python", "origin": "code", "arg_schema": schema}
    await desk.store.put_definitions([document])

    job = await desk.create()

    [definition] = await desk.store.definitions(["chatbooks.default.export"])
    assert (definition.origin, definition.arg_schema) == ("code", schema)
    assert (await desk.acquire())["id"] == job["id"]


async def test_an_owner_may_be_a_number(desk: Desk) -> None:
    job = await desk.create(owner_user_id=42)

    assert job["owner_user_id"] == "42"
    assert await desk.jm.list_jobs(owner_user_id="42") == await desk.jm.list_jobs(owner_user_id=42) == [job]


async def test_a_scheduled_job_waits_for_its_time(desk: Desk, clock: Hands) -> None:
    at = (START + timedelta(hours=1)).astimezone(timezone(timedelta(hours=5, minutes=30)))
    job = await desk.jm.schedule_job(**EXPORT, available_at=at)

    early = await desk.jm.acquire_next_job("chatbooks", "default", 60, "w1")
    clock.advance(3601)
    due = await desk.another().acquire_next_job("chatbooks", "default", 60, "w1")

    assert job["available_at"] == at
    assert job["status"] == "queued"
    assert early is None
    assert due is not None
    assert due["id"] == job["id"]


async def test_a_job_that_no_manager_made_keeps_its_key_as_type(desk: Desk) -> None:
    await desk.store.put_definitions([{"key": "resize", "kind": "python"}])
    [answer] = await desk.store.enqueue(DEFAULT_TENANT, [NewJob(definition="resize")])
    assert answer.job_id

    job = await desk.jm.get_job(answer.job_id)

    assert job is not None
    assert (job["domain"], job["queue"], job["job_type"]) == ("", "default", "resize")


async def test_a_job_that_a_person_moved_to_another_queue_keeps_its_type(desk: Desk) -> None:
    job = await desk.create()
    await desk.create(queue="high", job_type="import")
    await desk.jm.acquire_next_job("chatbooks", "high", 60, "w1")
    await desk.store.edit(DEFAULT_TENANT, job["id"], {"queue": "chatbooks.high"})
    await desk.upkeep()

    moved = await desk.acquire(queue="high")

    assert (moved["id"], moved["queue"], moved["job_type"]) == (job["id"], "high", "export")


async def test_the_manager_sees_its_own_tenant_alone(desk: Desk) -> None:
    await desk.create()
    charlie = (await desk.store.create_tenant("charlie")).tenant_id
    [answer] = await desk.store.enqueue(charlie, [NewJob(definition="chatbooks.default.export")])
    assert answer.job_id

    assert await desk.jm.get_job(answer.job_id) is None
    assert len(await desk.jm.list_jobs("chatbooks")) == 1


async def test_a_definition_of_a_program_judges_the_payload_as_it_does_there(desk: Desk) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": False}
    export = {"key": "chatbooks.default.export", "kind": "python", "origin": "code", "arg_schema": schema}
    await desk.store.put_definitions([export])

    taken = await desk.create(payload={"n": 1})
    for _ in range(2):
        with pytest.raises(InvalidPayload) as refused:
            await desk.create(payload={"n": "one"})
        assert refused.value.facts["pointer"] == "/n"

    assert [job["id"] for job in await desk.jm.list_jobs("chatbooks", "default")] == [taken["id"]]
