"""Handlers that do not end in time."""

from __future__ import annotations

import asyncio
import time

from jobplane import Backoff, Context, Jobplane

jp = Jobplane()
AT_ONCE = Backoff(base=0, jitter=0)


@jp.job("oversleep", timeout_seconds=1, max_attempts=1)
def oversleep(ctx: Context) -> str:
    """Returns after its timeout, before anybody kills it."""
    time.sleep(1.3)
    return "slept"


@jp.job("spin", timeout_seconds=1, max_attempts=1)
def spin(ctx: Context) -> None:
    while True:
        pass


@jp.job("doze", timeout_seconds=1, max_attempts=2, backoff=AT_ONCE)
def doze(ctx: Context) -> None:
    """Stays in C code, where nothing interrupts it."""
    time.sleep(120)


@jp.job("nap", max_attempts=2)
async def nap(ctx: Context, seconds: float) -> None:
    await asyncio.sleep(seconds)
