from __future__ import annotations

import pytest

from jobplane.core.errors import QueueInUse, UnknownQueue
from jobplane.core.model import JobFilter, JobStatus, NewJob, NewWorker
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import Factory


async def names(store: Store) -> list[str]:
    return [queue.name for queue in await store.queues()]


async def refused(store: Store, *queues: str) -> str:
    """What the refused queue is used by; nothing has changed."""
    before = await store.queues()
    with pytest.raises(QueueInUse, match='Cannot delete queue "mail"') as caught:
        await store.delete_queues(queues or ["mail"])
    assert await store.queues() == before
    assert caught.value.facts["queue"] == "mail"
    return str(caught.value.facts["used_by"])


async def test_a_queue_that_nothing_uses_is_deleted(store: Store) -> None:
    await store.put_queues(["mail", "sync", "other"])

    assert sorted(await store.delete_queues(["sync", "mail", "nowhere", "mail"])) == ["mail", "sync"]
    assert await store.delete_queues(["mail"]) == []
    assert await store.delete_queues([]) == []

    assert await names(store) == ["default", "other", "system"]


@pytest.mark.parametrize("queue", ["default", "system"])
async def test_the_queues_that_are_there_from_the_start_stay(store: Store, queue: str) -> None:
    with pytest.raises(QueueInUse) as caught:
        await store.delete_queues([queue])

    assert {name: caught.value.facts[name] for name in ("queue", "used_by")} == {"queue": queue, "used_by": "jobplane"}


@pytest.mark.parametrize("state", ["ready", "held", "upcoming", "running"])
async def test_a_queue_with_jobs_stays_and_so_do_those_named_beside_it(store: Store, make: Factory, state: str) -> None:
    await store.put_queues(["mail", "empty"])
    await make.job(queue="mail", delay_seconds=60 if state == "upcoming" else 0)
    if state == "held":
        await store.pause_tenants([make.alice])
    if state in ("held", "running"):
        await store.claim("mail", "w")

    assert await refused(store, "empty", "mail") == "jobs"


async def test_a_queue_that_a_definition_names_stays(store: Store) -> None:
    await store.put_queues(["mail"])
    await store.put_definitions([{"key": "letters", "queue": "mail"}])
    assert await refused(store) == "definitions"

    await store.put_definitions([{"key": "letters", "queue": "default"}])

    assert await store.delete_queues(["mail"]) == ["mail"]


async def test_a_queue_that_a_worker_serves_stays_until_the_worker_is_gone(store: Store, clock: Clock) -> None:
    await store.put_queues(["mail"])
    await store.register_worker(NewWorker(worker_id="w", queues=["default", "mail"]))
    assert await refused(store) == "workers"

    clock.advance(61)

    assert await store.delete_queues(["mail"]) == ["mail"]


async def test_nothing_finds_a_deleted_queue(store: Store, make: Factory) -> None:
    await store.put_queues(["mail"])
    job = await make.job()
    await store.delete_queues(["mail"])

    [refused] = await store.enqueue(make.alice, [NewJob(definition="d", queue="mail")])
    assert (refused.outcome, refused.error_code) == ("refused", "unknown_queue")
    with pytest.raises(UnknownQueue):
        await store.claim("mail", "w")
    with pytest.raises(UnknownQueue):
        await store.edit(make.alice, job, {"queue": "mail"})
    with pytest.raises(UnknownQueue):
        await store.put_definitions([{"key": "d", "queue": "mail"}])
    with pytest.raises(UnknownQueue):
        await store.register_worker(NewWorker(worker_id="w", queues=["mail"]))
    assert await store.pause_queues(["mail"]) == []


async def test_ended_jobs_still_show_the_name_of_their_queue(store: Store, make: Factory) -> None:
    await store.put_queues(["mail"])
    job = await make.job(queue="mail")
    await store.cancel(make.alice, [job])
    await store.delete_queues(["mail"])

    assert (await make.get(job)).queue == "mail"
    assert [found.id for found in (await store.list_jobs(make.alice, JobFilter(queues=["mail"]))).items] == [job]


async def test_and_start_again_only_when_the_queue_is_back(store: Store, make: Factory) -> None:
    await store.put_queues([{"name": "mail", "description": "Letters"}])
    await store.pause_queues(["mail"])
    job = await make.job(queue="mail")
    await store.cancel(make.alice, [job])
    await store.delete_queues(["mail"])

    [moved] = await store.retry(make.alice, [job])
    assert (moved.outcome, moved.status) == ("unknown_queue", JobStatus.CANCELED)

    assert await store.put_queues(["mail"]) == ["mail"]
    assert await store.put_queues(["mail"]) == []
    [queue] = [queue for queue in await store.queues() if queue.name == "mail"]
    assert (queue.description, queue.paused_at) == ("", None)

    [moved] = await store.retry(make.alice, [job])
    assert moved.outcome == "queued"
    await store.promote()
    assert [lease.job_id for lease in (await store.claim("mail", "w")).leases] == [job]


async def test_a_queue_comes_and_goes_many_times(store: Store, make: Factory) -> None:
    for _ in range(3):
        assert await store.put_queues(["mail"]) == ["mail"]
        job = await make.job(queue="mail")
        await store.cancel(make.alice, [job])
        assert await store.delete_queues(["mail"]) == ["mail"]

    assert len((await store.list_jobs(make.alice, JobFilter(queues=["mail"]))).items) == 3
