from __future__ import annotations

import pytest

from jobplane.core.errors import Invalid
from jobplane.core.model import DEFAULT_TENANT, JobStatus, NewJob
from tests.manager.hand import Desk


@pytest.fixture
async def many(desk: Desk) -> Desk:
    """Six jobs in two domains, three queues, two types, for two owners."""
    await desk.create(owner_user_id="u1", project_id=1)
    await desk.create(owner_user_id="u2", project_id=1)
    await desk.create(job_type="import", owner_user_id="u1", project_id=2)
    await desk.create(queue="high")
    await desk.create(domain="rag", job_type="embed")
    await desk.create(domain="rag", job_type="export")
    await desk.store.put_definitions([{"key": "resize", "kind": "python"}])
    await desk.store.enqueue(DEFAULT_TENANT, [NewJob(definition="resize")])
    return desk


async def test_each_filter_alone(many: Desk) -> None:
    jm = many.jm

    assert len(await jm.list_jobs()) == 6
    assert len(await jm.list_jobs("chatbooks")) == 4
    assert len(await jm.list_jobs(queue="default")) == 5
    assert len(await jm.list_jobs(job_type="export")) == 4
    assert len(await jm.list_jobs(status="queued")) == 6
    assert len(await jm.list_jobs(status=JobStatus.RUNNING)) == 0
    assert len(await jm.list_jobs(owner_user_id="u1")) == 2
    assert len(await jm.list_jobs(project_id=1)) == 2


async def test_filters_together(many: Desk) -> None:
    jm = many.jm

    assert len(await jm.list_jobs("chatbooks", "default")) == 3
    assert len(await jm.list_jobs("chatbooks", "default", "export")) == 2
    assert len(await jm.list_jobs("chatbooks", job_type="export")) == 3
    assert len(await jm.list_jobs("chatbooks", "default", "export", "queued", "u1", 1)) == 1
    assert await jm.list_jobs("chatbooks", owner_user_id="u2", project_id=2) == []


async def test_what_nobody_has_used_has_no_jobs(many: Desk) -> None:
    assert await many.jm.list_jobs("unheard-of") == []
    assert await many.jm.list_jobs("chatbooks", "unheard-of") == []
    assert await many.jm.list_jobs("chatbooks", "default", "unheard-of") == []


async def test_the_newest_comes_first_up_to_the_limit(many: Desk) -> None:
    everything = await many.jm.list_jobs()

    assert [job["job_type"] for job in everything[:2]] == ["export", "embed"]
    assert await many.jm.list_jobs(limit=2) == everything[:2]


async def test_a_long_list_comes_whole(desk: Desk) -> None:
    await desk.create()
    await desk.store.enqueue(DEFAULT_TENANT, [NewJob(definition="chatbooks.default.export")] * 1200)

    assert len(await desk.jm.list_jobs("chatbooks", limit=5000)) == 1201
    assert len({job["id"] for job in await desk.jm.list_jobs("chatbooks", limit=1100)}) == 1100


async def test_two_domains_never_see_each_others_jobs(many: Desk) -> None:
    assert {job["domain"] for job in await many.jm.list_jobs("rag")} == {"rag"}
    job = await many.jm.acquire_next_job("rag", "default", 60, "w1")

    assert job is not None
    assert job["domain"] == "rag"
    assert await many.jm.acquire_next_job("rag", "high", 60, "w1") is None


async def test_a_status_has_one_name(desk: Desk) -> None:
    for other in ("processing", "completed", "cancelled", "success", "", "QUEUED"):
        with pytest.raises(Invalid, match="queued, running, succeeded, failed, dead_letter, canceled"):
            await desk.jm.list_jobs(status=other)
