"""What the workers of these tests run."""

from __future__ import annotations

import asyncio
import subprocess
import time
from pathlib import Path

from jobplane import Context, Jobplane

jp = Jobplane()


@jp.job("add")
async def add(ctx: Context, a: int, b: int) -> int:
    ctx.log.info("adding")
    return a + b


@jp.job("nothing")
def nothing(ctx: Context, number: int = 0) -> None:
    """A plain success."""


@jp.job("fail", max_attempts=1)
def fail(ctx: Context) -> None:
    raise ValueError("as it has to")


@jp.job("rest", max_attempts=2)
async def rest(ctx: Context, seconds: float) -> str:
    await ctx.progress(0.5, "half way")
    await asyncio.sleep(seconds)
    return "rested"


@jp.job("wait", max_attempts=2)
async def wait(ctx: Context, mark: str) -> str:
    """Ends when a test makes the file, and makes another one when it begins."""
    Path(f"{mark}.begun").touch()  # noqa: ASYNC240 the same as below
    while not Path(mark).exists():  # noqa: ASYNC110, ASYNC240 the other side is a file, and a look at it takes no time
        await asyncio.sleep(0.01)
    return "waited"


@jp.job("look-up", max_attempts=1)
def look_up(ctx: Context) -> str:
    """Comes to no checkpoint, and looks now and then whether somebody canceled it."""
    ctx.progress(0.5)
    while not ctx.is_canceled:
        time.sleep(0.02)
    return "seen"


@jp.job("talk")
async def talk(ctx: Context, seconds: float) -> None:
    for second in range(int(seconds * 10)):
        ctx.log.info("still here", second=second / 10)
        await asyncio.sleep(0.1)


@jp.job("orphan", queue="orphans")
def orphan(ctx: Context) -> None:
    """Leave a process behind whose parent is gone."""
    subprocess.run(["sh", "-c", "sleep 0.2 &"], check=True)
