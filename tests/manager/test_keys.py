from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from jobplane.api.manager import JobManager
from jobplane.core.errors import IdempotencyMismatch
from tests.client import BlockingStore
from tests.manager.hand import EXPORT, Desk


async def test_the_same_request_gives_the_same_job(desk: Desk) -> None:
    first = await desk.create(idempotency_key="webhook-42")
    again = await desk.another().create_job(**EXPORT, idempotency_key="webhook-42")

    assert again == first
    assert len(await desk.jm.list_jobs()) == 1


async def test_a_key_gives_its_job_even_when_that_is_over(desk: Desk) -> None:
    job = await desk.create(idempotency_key="webhook-42")
    await desk.acquire()
    await desk.jm.complete_job(job["id"], result={"n": 1})

    again = await desk.create(idempotency_key="webhook-42", priority=0)

    assert (again["id"], again["status"], again["priority"]) == (job["id"], "succeeded", 5)


async def test_the_same_key_with_other_content_is_refused(desk: Desk) -> None:
    await desk.create(idempotency_key="webhook-42")

    with pytest.raises(IdempotencyMismatch):
        await desk.create(idempotency_key="webhook-42", payload={"name": "another"})


async def test_a_key_belongs_to_domain_queue_and_type(desk: Desk) -> None:
    ids = {
        (await desk.create(idempotency_key="k"))["id"],
        (await desk.create(idempotency_key="k", queue="high"))["id"],
        (await desk.create(idempotency_key="k", job_type="import"))["id"],
        (await desk.create(idempotency_key="k", domain="rag"))["id"],
    }

    assert len(ids) == 4


async def test_no_key_never_meets_another(desk: Desk) -> None:
    assert (await desk.create())["id"] != (await desk.create())["id"]


def test_sixteen_at_once_with_one_key_make_one_job(blocking: BlockingStore) -> None:
    jm = JobManager(blocking)

    def create(_: int) -> object:
        return jm.create_job(**EXPORT, idempotency_key="once")["id"]

    with ThreadPoolExecutor(16) as threads:
        ids = set(threads.map(create, range(16)))

    assert len(ids) == 1
    assert len(jm.list_jobs()) == 1


async def test_a_dedupe_key_is_free_again_when_its_job_is_over(desk: Desk) -> None:
    first = await desk.create(dedupe_key="training:daily")
    waiting = await desk.create(dedupe_key="training:daily", payload={"name": "another"})
    job = await desk.acquire()
    running = await desk.create(dedupe_key="training:daily")
    await desk.jm.complete_job(job["id"])

    after = await desk.create(dedupe_key="training:daily")

    assert first["id"] == waiting["id"] == running["id"] != after["id"]
