"""How fast workers go through a backlog: a window of time that opens when they work and closes before it is empty."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Final

from bench.staff import Staff

PATIENCE_SECONDS: Final = 30.0
LOOK_SECONDS: Final = 0.25
WARM_UP_SECONDS: Final = 0.4  # until the second worker is at work, too
RESERVE: Final = 1.5  # times what was done since the last look must be left for another one


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment: what is left, and the CPU time spent until then."""

    at: float
    left: int
    cpu: dict[str, float]


@dataclass(frozen=True, slots=True)
class Pace:
    """Jobs a second, and CPU microseconds a job by kind of process."""

    rate: float
    cpu_us: dict[str, float]


async def pace(staff: Staff, seconds: float) -> Pace:
    """What the workers do in so many seconds, once the first of them has begun."""
    full = staff.unfinished()
    await _at_work(staff, full)
    first = last = _mark(staff)
    taken = 0
    while last is first or (last.at < first.at + seconds and last.left > RESERVE * taken):
        await asyncio.sleep(min(LOOK_SECONDS, seconds))
        before, last = last, _mark(staff)
        taken = before.left - last.left
    done = max(first.left - last.left, 1)
    spent = {part: (last.cpu[part] - first.cpu.get(part, 0.0)) / done * 1e6 for part in last.cpu}
    return Pace(done / (last.at - first.at), spent)


async def _at_work(staff: Staff, full: int) -> None:
    """All of it; or as much as is up when half the backlog is done."""
    deadline = time.perf_counter() + PATIENCE_SECONDS
    while (left := staff.unfinished()) == full or (left > full / 2 and not await staff.is_whole()):
        if time.perf_counter() > deadline:
            raise RuntimeError(f"{staff.contender.name} is not at work after {PATIENCE_SECONDS:.0f} seconds")
        await asyncio.sleep(0.02)
    await asyncio.sleep(WARM_UP_SECONDS * left / full)  # the less is left, the longer they have been at it


def _mark(staff: Staff) -> Mark:
    at = time.perf_counter()
    return Mark(at, staff.unfinished(), staff.cpu())
