"""What the programs of all queues in Python share: their roles, paced sending, and when a handler started."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, Final

from bench import loop

URL: Final = os.environ.get("BENCH_URL", "")

Role = Callable[..., Coroutine[Any, Any, None] | None]


def run(roles: Mapping[str, Role]) -> None:
    """Run the role that the command line names: seed COUNT, send FIRST COUNT RATE, work."""
    role, *numbers = sys.argv[1:]
    work = roles[role](*map(int, numbers))
    if work is not None:
        loop.run(work)


async def paced(first: int, count: int, rate: int, send: Callable[[int], Awaitable[object]]) -> None:
    """Send at a steady rate, and print each number with the time on the monotonic clock when it was committed."""
    await send(-1)
    start = time.monotonic()
    for place in range(count):
        await asyncio.sleep(max(0.0, start + place / rate - time.monotonic()))
        await send(first + place)
        print(first + place, time.monotonic_ns(), flush=True)


def handler() -> Callable[[int], None]:
    """What a handler does: nothing, or write down when it started."""
    directory = os.environ.get("BENCH_STARTS")
    if not directory:
        return _nothing
    file = os.open(Path(directory) / str(os.getpid()), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    return lambda number: _write(file, number)


def _nothing(_number: int) -> None:
    """Measured from outside."""


def _write(file: int, number: int) -> None:
    os.write(file, f"{number} {time.monotonic_ns()}\n".encode())
