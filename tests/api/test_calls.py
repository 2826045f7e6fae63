"""The calls of people and operators, blocking and awaited, on both stores."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from jobplane import (
    DefinitionNotFound,
    Fail,
    IllegalMove,
    Invalid,
    JobFunction,
    JobNotFound,
    Jobplane,
    JobStatus,
    KeyNotFound,
    QueueInUse,
    QueueNotFound,
    TenantNotFound,
    UnknownQueue,
)


@pytest.fixture
def add(jp: Jobplane) -> JobFunction[[int], [int], int]:
    @jp.job("add", max_attempts=2)
    def add(a: int) -> int:
        if a < 0:
            raise Fail("negative")
        return a

    jp.sync()
    return add


def test_a_waiting_job_is_put_off_and_edited(jp: Jobplane, add: JobFunction[[int], [int], int]) -> None:
    job = add.enqueue(1)
    later = datetime.now(UTC) + timedelta(days=1)

    assert jp.reschedule(job, at=later).status is JobStatus.QUEUED
    assert jp.edit(job, {"payload": {"a": 7}, "priority": 3}).status is JobStatus.QUEUED

    found = jp.get(job)
    assert (found.scheduled_for, found.payload, found.priority) == (later, {"a": 7}, 3)
    jp.reschedule(job, delay=timedelta(0))
    assert jp.drain() == 1
    assert jp.result(job) == 7


def test_neither_is_one_that_has_ended(jp: Jobplane, add: JobFunction[[int], [int], int]) -> None:
    job = add.enqueue(1)
    jp.drain()

    with pytest.raises(IllegalMove):
        jp.reschedule(job, delay=1)
    with pytest.raises(IllegalMove):
        jp.edit(job, {"priority": 3})


def test_a_job_that_has_ended_runs_again_with_another_payload(
    jp: Jobplane, add: JobFunction[[int], [int], int]
) -> None:
    old = add.options(dedupe_key="k", tags=["red"], priority=7, correlation_id="c").enqueue(-1)
    with pytest.raises(IllegalMove):
        jp.run_again(old)
    jp.drain()

    new = jp.run_again(old, payload={"a": 2})
    jp.drain()

    found = jp.get(new)
    assert (found.status, jp.result(new), found.source_ref) == (JobStatus.SUCCEEDED, 2, str(old.id))
    assert (found.tags, found.priority, found.correlation_id, found.dedupe_key) == (["red"], 7, "c", None)
    assert jp.get(old).status is JobStatus.FAILED
    assert jp.get(jp.run_again(old)).payload == {"a": -1}


def test_attempts_come_newest_first(jp: Jobplane, add: JobFunction[[int], [int], int]) -> None:
    job = add.enqueue(-1)
    jp.drain()
    jp.retry(job)
    jp.drain()

    assert [attempt.attempt_no for attempt in jp.attempts(job)] == [2, 1]


def test_a_summary_counts_the_tenants_own(jp: Jobplane, add: JobFunction[[int], [int], int]) -> None:
    jp.create_tenant("charlie")
    add.enqueue(1)
    add.options(tenant="charlie").enqueue(1)
    jp.drain()
    add.enqueue(2)

    assert (jp.summary().succeeded, jp.summary().queued) == (1, 1)
    assert jp.summary(tenant="charlie").queued == 0


def test_charlie_sees_and_moves_nothing_of_another_tenant(jp: Jobplane, add: JobFunction[[int], [int], int]) -> None:
    jp.create_tenant("charlie")
    job = add.enqueue(1).id

    for act in (
        lambda: jp.reschedule(job, delay=1, tenant="charlie"),
        lambda: jp.edit(job, {"priority": 1}, tenant="charlie"),
        lambda: jp.run_again(job, tenant="charlie"),
        lambda: [*jp.attempts(job, tenant="charlie")],
    ):
        with pytest.raises(JobNotFound):
            act()


def test_a_paused_queue_and_a_paused_tenant_hand_out_nothing(jp: Jobplane, add: JobFunction[[int], [int], int]) -> None:
    job = add.enqueue(1)

    jp.pause_queue("default")
    assert (jp.drain(), [queue.name for queue in jp.queues() if queue.paused_at]) == (0, ["default"])
    jp.resume_queue("default")
    jp.pause_tenant("default")
    assert (jp.drain(), jp.get(job).held_by, jp.get_tenant("default").paused_at is None) == (0, "tenant_paused", False)
    jp.resume_tenant("default")

    assert jp.drain() == 1


def test_tenants_are_made_changed_and_listed(jp: Jobplane) -> None:
    made = jp.create_tenant("acme", name="Acme", weight=2, max_pending=5)

    assert (made.name, made.weight, made.max_pending) == ("Acme", 2, 5)
    assert jp.change_tenant("acme", {"max_pending": None, "weight": 3}).max_pending is None
    assert (jp.get_tenant("acme").weight, jp.get_tenant(made.tenant_id).slug) == (3, "acme")
    assert "acme" in [tenant.slug for tenant in jp.tenants()]


def test_definitions_and_queues_are_made_by_hand(jp: Jobplane) -> None:
    assert list(jp.put_queues(["mail"])) == ["mail"]

    [made] = jp.put_definitions([{"key": "send", "kind": "python", "queue": "mail", "max_attempts": 9}])

    assert (made.key, made.queue, jp.get_definition("send").max_attempts) == ("send", "mail", 9)
    assert "send" in [definition.key for definition in jp.definitions()]
    assert list(jp.workers()) == []


def test_keys_are_made_listed_rotated_and_revoked(jp: Jobplane) -> None:
    jp.create_tenant("acme")

    key, text = jp.create_key("viewer", "dashboard", tenant="acme")
    own, _ = jp.create_key("enqueue")
    platform, _ = jp.create_key("worker")
    new, _ = jp.rotate_key(key.key_id, overlap=timedelta(hours=1))
    jp.revoke_key(own.key_id)

    assert text.startswith(f"jp_{key.key_id}_")
    assert (own.tenant_id, platform.tenant_id) == (jp.get_tenant("default").tenant_id, None)
    assert {found.key_id for found in jp.api_keys()} == {k.key_id for k in (key, own, platform, new)}
    assert {found.key_id: found.replaced_by for found in jp.api_keys(tenant="acme")} == {
        key.key_id: new.key_id,
        new.key_id: None,
    }
    with pytest.raises(KeyNotFound):
        jp.revoke_key("nowhere")


def test_a_queue_is_described_and_deleted(jp: Jobplane) -> None:
    made = jp.put_queues(["sync", {"name": "mail", "description": "Letters"}])
    assert sorted(made) == ["mail", "sync"]
    assert [(queue.name, queue.description) for queue in jp.queues() if queue.name == "mail"] == [("mail", "Letters")]
    with pytest.raises(Invalid, match="color"):
        jp.put_queues([{"name": "mail", "color": "red"}])
    jp.put_definitions([{"key": "send", "queue": "mail"}])

    with pytest.raises(QueueInUse) as caught:
        jp.delete_queues(["sync", "mail"])
    assert (caught.value.code, caught.value.facts["queue"], caught.value.facts["used_by"]) == (
        "queue_in_use",
        "mail",
        "definitions",
    )
    assert list(jp.delete_queues(["sync", "nowhere"])) == ["sync"]

    assert [queue.name for queue in jp.queues()] == ["default", "mail", "system"]


def test_more_queues_than_a_page_has_are_all_listed(jp: Jobplane) -> None:
    names = [f"q{n:03}" for n in range(150)]
    jp.put_queues(names)

    assert [queue.name for queue in jp.queues()] == ["default", *names, "system"]


def test_a_job_of_a_deleted_queue_is_not_retried(jp: Jobplane, add: JobFunction[[int], [int], int]) -> None:
    jp.put_queues(["mail"])
    job = add.options(queue="mail").enqueue(1)
    jp.cancel(job)
    jp.delete_queues(["mail"])

    with pytest.raises(UnknownQueue, match="was deleted"):
        jp.retry(job)
    with pytest.raises(UnknownQueue):
        jp.run_again(job)
    assert jp.get(job).queue == "mail"


def test_what_is_not_there_is_said_to_be_missing(jp: Jobplane) -> None:
    jp.sync()

    with pytest.raises(QueueNotFound):
        jp.pause_queue("nowhere")
    with pytest.raises(TenantNotFound):
        jp.pause_tenant("nobody")
    with pytest.raises(TenantNotFound):
        jp.get_tenant("nobody")
    with pytest.raises(DefinitionNotFound):
        jp.get_definition("nothing")


async def test_all_of_it_can_be_awaited(on_loop: Jobplane) -> None:
    jp = on_loop

    @jp.job("add")
    def add(a: int) -> int:
        return a

    await jp.sync_async()
    job = await add.enqueue_async(1)
    await jp.edit_async(job, {"payload": {"a": 5}})
    await jp.reschedule_async(job, delay=0)
    await jp.pause_queue_async("default")
    await jp.resume_queue_async("default")
    assert await jp.drain_async() == 1
    again = await jp.run_again_async(job)

    assert [attempt.attempt_no async for attempt in jp.attempts_async(job)] == [1]
    assert (await jp.summary_async()).queued == 1
    assert (await jp.get_async(again)).payload == {"a": 5}
    assert "default" in [tenant.slug async for tenant in jp.tenants_async()]
    assert (await jp.get_definition_async("add")).key == "add"
    assert list(await jp.put_queues_async([{"name": "mail", "description": "Letters"}])) == ["mail"]
    assert [queue.description for queue in await jp.queues_async()] == ["", "Letters", ""]
    assert list(await jp.delete_queues_async(["mail"])) == ["mail"]
