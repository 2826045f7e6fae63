"""The jobs that the web UI shows in its tests."""

from __future__ import annotations

import asyncio
from typing import Literal

from jobplane import Backoff, Context, Fail, Jobplane

jp = Jobplane()
_SOON = Backoff(base=0.2, cap=0.2, jitter=0)


@jp.job("greet")
async def greet(ctx: Context, name: str, times: int = 1, tone: Literal["warm", "cold"] = "warm") -> dict[str, str]:
    """Greet somebody."""
    for number in range(times):
        ctx.log.info("hello", name=name, number=number)
    return {"greeting": f"{tone} hello {name}"}


@jp.job("break", max_attempts=2, backoff=_SOON)
async def break_(ctx: Context, why: str) -> None:
    ctx.log.error(why)
    raise RuntimeError(why)


@jp.job("refuse")
async def refuse(why: str) -> None:
    raise Fail(why)


@jp.job("linger", timeout_seconds=300)
async def linger(ctx: Context, seconds: float = 120, note: str = "") -> None:
    """Report progress until it is canceled."""
    for step in range(round(seconds * 5)):
        ctx.progress(min(1.0, step / (seconds * 5)), note or f"step {step}")
        if step % 10 == 0:
            ctx.log.info("step", number=step)
        await asyncio.sleep(0.2)
        ctx.checkpoint()


@jp.job("chatter", timeout_seconds=300)
async def chatter(ctx: Context, lines: int) -> int:
    """Write a long log, with colours, a warning now and then, and one error."""
    for number in range(lines):
        text = f"\x1b[32mline\x1b[0m {number} of a long log"
        level = ctx.log.error if number == lines // 2 else ctx.log.warning if number % 50 == 49 else ctx.log.info
        level(text)
        if number % 200 == 199:
            await asyncio.sleep(0.1)
    return lines


@jp.job("echo")
async def echo(ctx: Context, text: str, fail: bool = False) -> dict[str, str]:
    """Put a text everywhere a job can put one."""
    ctx.progress(0.5, text)
    ctx.log.warning(text, field=text)
    if fail:
        raise Fail(text)
    return {"text": text, text: "as a name"}
