"""Jobs that need a process each, and longer than a test takes; beside one that does not."""

from __future__ import annotations

import asyncio
import time

from jobplane import Context, Jobplane

jp = Jobplane()


@jp.job("grind", isolation="process")
async def grind(ctx: Context) -> None:
    await asyncio.sleep(120)


@jp.job("grind-apart", queue="apart", isolation="process")
async def grind_apart(ctx: Context) -> None:
    await asyncio.sleep(120)


@jp.job("quick")
async def quick(ctx: Context) -> None:
    """A job like most."""


@jp.job("nap", max_attempts=2)
async def nap(ctx: Context, seconds: float) -> None:
    await asyncio.sleep(seconds)


@jp.job("block", max_attempts=1, timeout_seconds=None)
async def block(ctx: Context) -> None:
    time.sleep(120)  # noqa: ASYNC251 the event loop of its process does not turn meanwhile
