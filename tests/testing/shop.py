"""A program with jobs, whose own database cannot be reached: a test that goes there fails."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from jobplane import Context, Fail, Jobplane, Retry

jp = Jobplane("postgresql://nobody@127.0.0.1:1/nowhere")
ledger = Jobplane("postgresql://nobody@127.0.0.1:1/nowhere")


@jp.job("send-receipt", queue="mail", max_attempts=3)
def send_receipt(order: int, to: str = "alice") -> str:
    if to == "nobody":
        raise Retry("no such address")
    return f"receipt for {order} to {to}"


@jp.job("take-order", timeout_seconds=60)
def take_order(ctx: Context, order: int, at: datetime | None = None) -> dict[str, object]:
    ctx.progress(0.5)
    ctx.checkpoint()
    if order < 0:
        raise Fail("no such order")
    send_receipt.enqueue(order=order)
    book.enqueue(order=order)
    return {"order": order, "attempt": ctx.attempt, "at": at}


@jp.job("watch")
async def watch(ctx: Context, provider: UUID) -> str:
    await ctx.progress(0.25)
    await ctx.checkpoint()
    return str(provider)


@jp.job("odd")
def odd() -> object:
    return object()


@ledger.job("book", queue="books")
def book(order: int) -> None:
    """Of another Jobplane of the same program."""
