"""jp.explain, jp.problems and jp.all_problems, and their twins."""

from __future__ import annotations

import asyncio

import pytest

from jobplane import Context, JobNotFound, Jobplane


def add(ctx: Context, a: int) -> int:
    return a


async def test_a_program_asks_why_its_job_waits(on_loop: Jobplane) -> None:
    await on_loop.create_tenant_async("charlie")
    on_loop.job("add")(add)
    await on_loop.sync_async()
    job = await on_loop.enqueue_async("add", {"a": 1})

    found = await on_loop.explain_async(job)

    assert [gate.name for gate in found.shut] == ["queue_not_served", "no_worker"]
    assert (await asyncio.to_thread(on_loop.explain, job)).gates == found.gates
    with pytest.raises(JobNotFound):
        await on_loop.explain_async(job.id, tenant="charlie")


async def test_a_program_asks_what_is_wrong(on_loop: Jobplane) -> None:
    await on_loop.create_tenant_async("charlie")
    on_loop.job("add")(add)
    await on_loop.sync_async()
    await on_loop.enqueue_async("add", {"a": 1})

    mine, [problem] = await on_loop.problems_async(), await on_loop.all_problems_async()

    assert [each.code for each in mine] == [problem.code] == ["no_worker"]
    assert (mine[0].tenants, problem.tenants) == ([], ["default"])
    assert await on_loop.problems_async(tenant="charlie") == []
    assert await asyncio.to_thread(on_loop.problems) == mine
    assert await asyncio.to_thread(on_loop.all_problems) == [problem]
