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
    time.sleep(1.1)
    return "slept"


@jp.job("spin", timeout_seconds=1, max_attempts=1)
def spin(ctx: Context) -> None:
    while True:
        pass


@jp.job("doze", timeout_seconds=1, max_attempts=2, backoff=AT_ONCE)
def doze(ctx: Context) -> None:
    """Stays in C code, where nothing interrupts it."""
    time.sleep(120)


@jp.job("enqueue-on", timeout_seconds=1, max_attempts=1)
def enqueue_on(ctx: Context) -> None:
    """Is in the middle of a write nearly all the time."""
    while True:
        nap.options(delay=3600).enqueue(seconds=0)


@jp.job("enqueue-once", max_attempts=1)
def enqueue_once(ctx: Context) -> None:
    nap.options(delay=3600).enqueue(seconds=0)


@jp.job("log-on", timeout_seconds=1, max_attempts=1)
def log_on(ctx: Context) -> None:
    """Is in the middle of a log line nearly all the time."""
    while True:
        ctx.log.info("again")


@jp.job("nap", max_attempts=2)
async def nap(ctx: Context, seconds: float) -> None:
    await asyncio.sleep(seconds)
