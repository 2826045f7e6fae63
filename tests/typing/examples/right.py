"""What a program may write; neither checker finds anything here."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from typing import assert_type
from uuid import UUID

from jobplane import (
    Backoff,
    Context,
    Fire,
    Job,
    JobCall,
    JobHandle,
    Jobplane,
    JobStatus,
    PlannedTime,
    Refused,
    Trigger,
)
from jobplane.testing import Attempt, Drained, Sandbox, run

jp = Jobplane("sqlite:///jobs.db", tenant="acme", app="shop", version="1")


@jp.job("add", queue="sums", max_attempts=5, backoff=Backoff(base=1), tags=["maths"])
def add(a: int, b: int = 2) -> int:
    return a + b


@jp.job("sync", isolation="process", on_lost_contact="continue", timeout_seconds=None)
async def sync(ctx: Context, provider_id: UUID, *, path: str = "/") -> dict[str, int]:
    ctx.log.info("listing", path=path)
    await ctx.progress(0.5)
    await ctx.checkpoint()
    return {"files": ctx.attempt}


@jp.job("nothing")
def nothing(ctx: Context) -> None:
    ctx.progress(1)
    ctx.checkpoint()


@jp.job("bare")
def bare() -> None: ...


async def calls(ctx: Context, pid: UUID) -> None:
    assert_type(add(1), int)
    assert_type(add(a=1, b=2), int)
    assert_type(await sync(ctx, pid, path="/x"), dict[str, int])
    nothing(ctx)
    bare()


def enqueues(pid: UUID, conn: object) -> None:
    assert_type(add.enqueue(1), JobHandle)
    add.enqueue(a=1, b=2)
    sync.enqueue(pid)
    sync.enqueue(provider_id=pid, path="/x")
    nothing.enqueue()
    bare.options(tenant=pid, conn=conn, delay=timedelta(hours=1), on_duplicate="postpone").enqueue()
    sync.options(tenant="acme", priority=10).options(dedupe_key="k").enqueue(provider_id=pid)
    assert_type(add.call(a=1), JobCall)
    assert_type(jp.enqueue_many([add.call(a=1), sync.options(priority=1).call(pid)]), list[JobHandle | Refused])
    assert_type(jp.enqueue_many([add.call(a=1)], raise_refused=True), list[JobHandle])
    jp.enqueue("add", {"a": 1}, priority=3)


async def enqueues_async(pid: UUID) -> None:
    assert_type(await add.enqueue_async(1), JobHandle)
    await sync.options(tenant="acme").enqueue_async(provider_id=pid)
    await jp.enqueue_many_async([add.call(1)])
    async with jp:
        assert_type(jp.list_async(), AsyncIterator[Job])


def looks(handle: JobHandle) -> None:
    with jp:
        assert_type(jp.get(handle), Job)
        assert_type(jp.list(statuses=[JobStatus.QUEUED], tenant="acme"), Iterator[Job])
        jp.cancel(handle.id, reason="no")
        jp.retry(handle, max_attempts=1)
        assert_type(jp.wait(handle, timeout=1), Job)
        assert_type(jp.run_once(), int)


async def schedules(pid: UUID) -> None:
    made = jp.schedules.create("Nightly", add, {"a": 1}, cron_expr="0 2 * * *", overlap="skip", backoff=Backoff())
    assert_type(made, Trigger)
    assert_type(jp.schedules.list(definition=sync, tenant="acme"), Iterator[Trigger])
    assert_type(jp.schedules.fire(made), JobHandle)
    assert_type(jp.schedules.fires("nightly"), Iterator[Fire])
    assert_type(jp.schedules.preview(cron_expr="@daily").times, list[PlannedTime])
    await jp.schedules.update_async(pid, timezone=None, definition="sync", payload={"path": "/"})
    assert_type(jp.list(trigger_id=made.id), Iterator[Job])


async def tests(pid: UUID, jobs: Sandbox) -> None:
    assert_type(run(add, 1), int)
    assert_type(await run(sync, pid, path="/x"), dict[str, int])
    assert_type(Attempt(number=2, answer="cancel").run(add, a=1), int)
    assert_type(jobs.host(jp).assert_enqueued(add, {"a": 1}, tenant="acme", delay=3), Job)
    jobs.refute_enqueued("add", priority=1)
    assert_type(jobs.drain("sums"), Drained)
    jobs.freeze().advance(timedelta(hours=1))
