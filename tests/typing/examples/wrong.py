"""What a program may not write; each marked line is an error to both checkers, and no other line is."""

from __future__ import annotations

from uuid import UUID

from jobplane import Context, Jobplane
from jobplane.testing import Sandbox, run

jp = Jobplane("sqlite:///jobs.db")


@jp.job("add")
def add(a: int, b: int = 2) -> int:
    return a + b


@jp.job("sync")
async def sync(ctx: Context, provider_id: UUID, *, path: str = "/") -> dict[str, int]:
    return {"files": ctx.attempt}


def enqueues(ctx: Context, pid: UUID) -> None:
    add.enqueue(a="one")  # pyright: ignore[reportArgumentType]
    add.enqueue()  # pyright: ignore[reportCallIssue]
    add.enqueue(a=1, c=3)  # pyright: ignore[reportCallIssue]
    add.enqueue(1, 2, 3)  # pyright: ignore[reportCallIssue]
    add.call(a=None)  # pyright: ignore[reportArgumentType]
    sync.enqueue(ctx, pid)  # pyright: ignore[reportCallIssue]
    sync.enqueue(provider_id=str(pid))  # pyright: ignore[reportArgumentType]
    sync.enqueue(pid, "/x")  # pyright: ignore[reportCallIssue]
    sync.options(priority=1).enqueue(provider_id=7)  # pyright: ignore[reportArgumentType]
    sync.options(urgency=1)  # pyright: ignore[reportCallIssue]
    sync.options(priority="high")  # pyright: ignore[reportArgumentType]
    sync.options(on_duplicate="drop")  # pyright: ignore[reportArgumentType]


async def enqueues_async(pid: UUID) -> None:
    await add.enqueue_async(a="one")  # pyright: ignore[reportArgumentType]
    await sync.enqueue_async(path="/x")  # pyright: ignore[reportCallIssue]


async def calls(ctx: Context, pid: UUID) -> None:
    add("one")  # pyright: ignore[reportArgumentType]
    add(ctx, 1)  # pyright: ignore[reportArgumentType]
    await sync(provider_id=pid)  # pyright: ignore[reportCallIssue]


def decorates() -> None:
    jp.job()  # pyright: ignore[reportCallIssue]
    jp.job("x", isolation="container")  # pyright: ignore[reportArgumentType]
    jp.job("x", timeout=3)  # pyright: ignore[reportCallIssue]
    jp.list(status="queued")  # pyright: ignore[reportCallIssue]


def schedules() -> None:
    jp.schedules.create("Nightly")  # pyright: ignore[reportCallIssue]
    jp.schedules.create("Nightly", add, cron="0 2 * * *")  # pyright: ignore[reportCallIssue]
    jp.schedules.create("Nightly", add, overlap="sometimes")  # pyright: ignore[reportArgumentType]
    jp.schedules.update("nightly", is_enabled="yes")  # pyright: ignore[reportArgumentType]
    jp.schedules.backfill("nightly", "2026-01-01", "2026-01-02")  # pyright: ignore[reportArgumentType]


async def tests(pid: UUID, jobs: Sandbox) -> None:
    run(add, a="one")  # pyright: ignore[reportArgumentType]
    await run(sync, path="/x")  # pyright: ignore[reportCallIssue]
    jobs.assert_enqueued(add, urgency=1)  # pyright: ignore[reportCallIssue]
