"""A program whose handlers enqueue."""

from __future__ import annotations

from jobplane import Context, Jobplane

jp = Jobplane()
client = Jobplane()  # which defines nothing


@jp.job("child")
def child(n: int) -> None: ...


@jp.job("parent")
def parent(n: int) -> None:
    child.enqueue(n=n)
    with Jobplane() as passing:
        next(iter(passing.list()), None)
    next(iter(client.list()), None)


@jp.job("parent-async")
async def parent_async(ctx: Context, n: int) -> None:
    await child.enqueue_async(n=n)
    await child.options(tenant=ctx.tenant_id, correlation_id="own").enqueue_async(n=-n)
