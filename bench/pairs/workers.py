"""Real workers of both sides: how fast they go through a backlog (W3), and how soon an idle one starts a job (W4)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Final

from bench.contenders import Contender, ours
from bench.latency import SETTLE_SECONDS, percentile, start_delays
from bench.measure import Plan
from bench.pairs.ratios import RATE, Reading
from bench.pairs.sides import Side
from bench.rig import Rig
from bench.staff import Staff, staffed
from bench.window import pace

BACKLOG: Final = (100_000, 50_000)
SECONDS: Final = (1.5, 0.5)
JOBS: Final = (150, 30)
SERVER: Final = "server"
SHORTEST_MS: Final = 0.001  # a handler may start before its producer knows of the commit


async def throughput(rig: Rig, plan: Plan, sides: Sequence[Side]) -> list[Reading]:
    return [await _throughput(rig, plan, side) for side in sides]


async def _throughput(rig: Rig, plan: Plan, side: Side) -> Reading:
    with rig.fresh(side.filled(rig, plan.pick(*BACKLOG))) as database:
        async with staffed(_worker(side), database) as staff:
            found = await pace(staff, plan.pick(*SECONDS))
    return {RATE: found.rate, **_clients(found.cpu_us), "server µs/job": found.cpu_us[SERVER]}


async def latency(rig: Rig, plan: Plan, sides: Sequence[Side]) -> list[Reading]:
    """Both workers are up and idle, except for the one whose turn it is."""
    async with AsyncExitStack() as stack:
        staffs: list[Staff] = []
        for side in sides:
            database = stack.enter_context(rig.fresh(side.template(rig)))
            staffs.append(await stack.enter_async_context(staffed(_worker(side), database, stamped=True)))
        await asyncio.sleep(SETTLE_SECONDS)
        return [await _latency(staff, plan.pick(*JOBS)) for staff in staffs]


async def _latency(staff: Staff, jobs: int) -> Reading:
    before = staff.cpu()
    found = await start_delays(staff, 0, jobs)
    after = staff.cpu()
    spent = {part: (seconds - before.get(part, 0.0)) / jobs * 1e6 for part, seconds in after.items()}
    return {f"p{percent} ms": max(percentile(found, percent), SHORTEST_MS) for percent in (50, 95)} | _clients(spent)


def _clients(cpu_us: dict[str, float]) -> Reading:
    """The worker with all its processes, and by kind of process."""
    client = {part: value for part, value in cpu_us.items() if part != SERVER}
    parts = {f"{part} µs/job": client[part] for part in ("worker", "executors") if part in client}
    return {"client µs/job": sum(client.values()), **parts}


def _worker(side: Side) -> Contender:
    settings = ours()
    return replace(
        settings,
        name=side.name,
        base=side.template,
        environment={**settings.environment, "PYTHONPATH": side.python_path},
    )
