"""Our own side: a job that does nothing: `async def`, `def`, with a line in its log, for long; and its producer."""

from __future__ import annotations

import asyncio
import os

from bench.peers.program import URL, handler, paced, run
from jobplane import Context, Jobplane

jp = Jobplane(URL)
handle = handler()


async def _on_the_loop(i: int, pad: str) -> None:  # noqa: ARG001
    handle(i)


def _in_a_thread(i: int, pad: str) -> None:  # noqa: ARG001
    handle(i)


async def _with_a_line(ctx: Context, i: int, pad: str) -> None:  # noqa: ARG001
    ctx.log.info("one line for each job", i=i)


async def _for_long(i: int, pad: str) -> None:  # noqa: ARG001
    await asyncio.sleep(600)


match os.environ.get("BENCH_HANDLER"):
    case "def":
        jp.job("noop")(_in_a_thread)
    case "log":
        jp.job("noop")(_with_a_line)
    case "wait":
        jp.job("noop")(_for_long)
    case _:
        jp.job("noop")(_on_the_loop)


async def _send(first: int, count: int, rate: int) -> None:
    async with Jobplane(URL) as sender:
        noop = sender.job("noop")(_on_the_loop)
        await paced(first, count, rate, lambda number: noop.enqueue_async(i=number, pad="x" * 80))


if __name__ == "__main__":
    run({"send": _send})
