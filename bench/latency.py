"""latency: from the commit of an enqueue to the start of its handler, 2,000 jobs, beside other queues (W4)."""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Final

from bench.contenders import ours, peers
from bench.measure import Plan
from bench.rig import Rig
from bench.staff import Staff, staffed
from bench.table import Table, number

JOBS: Final = (2_000, 30)
RATE: Final = 50
SETTLE_SECONDS: Final = 3.0  # all workers up and idle
PATIENCE_SECONDS: Final = 10.0
QUANTILES: Final = (50, 95, 99)

Samples = dict[str, list[list[float]]]  # milliseconds, by contender and round


async def measure(rig: Rig, plan: Plan) -> list[Table]:
    others = peers()
    async with AsyncExitStack() as stack:
        staffs: dict[str, Staff] = {}
        for contender in (*others, ours()):
            database = stack.enter_context(rig.fresh(contender.base(rig)))
            staffs[contender.name] = await stack.enter_async_context(staffed(contender, database, stamped=True))
        await asyncio.sleep(SETTLE_SECONDS)
        samples = await _sample(staffs, plan)
    _show(samples)
    base = "graphile-worker" if "graphile-worker" in samples else others[0].name
    return [_table(quantile, base, samples) for quantile in QUANTILES]


async def _sample(staffs: Mapping[str, Staff], plan: Plan) -> Samples:
    """Each in its turn, while the workers of the others are idle."""
    samples: Samples = {name: [] for name in staffs}
    portion = -(-plan.pick(*JOBS) // plan.rounds)
    for turn in range(plan.rounds):
        for name in random.Random(turn).sample(list(staffs), len(staffs)):
            samples[name].append(await start_delays(staffs[name], turn * portion, portion))
    return samples


async def start_delays(staff: Staff, first: int, count: int) -> list[float]:
    """Milliseconds from the moment when the producer knew of the commit; zero for a handler that was even quicker."""
    numbers = (str(value) for value in (first, count, RATE))
    printed = await asyncio.to_thread(staff.contender.call, staff.database, "send", *numbers)
    committed = {int(job): int(at) for job, at in (line.split() for line in printed.splitlines())}
    starts = await _starts(staff, committed)
    return [max(0, starts[job] - at) / 1e6 for job, at in committed.items()]


async def _starts(staff: Staff, committed: Mapping[int, int]) -> dict[int, int]:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not committed.keys() <= (starts := staff.starts()).keys():
        if time.monotonic() > deadline:
            raise RuntimeError(f"{staff.contender.name} has not started {len(committed.keys() - starts.keys())} jobs")
        await asyncio.sleep(0.1)
    return starts


def percentile(values: list[float], percent: int) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def _show(samples: Samples) -> None:
    print(f"\nW4: commit to start, ms, {RATE} jobs a second, all rounds together")
    heads = [*(f"p{quantile}" for quantile in QUANTILES), "worst", "jobs"]
    print(f"  {'':<46} " + " ".join(f"{head:>9}" for head in heads))
    for name, rounds in samples.items():
        values = [value for delays in rounds for value in delays]
        cells = [*(percentile(values, quantile) for quantile in QUANTILES), max(values)]
        print(f"  {name:<46} " + " ".join(f"{number(cell):>9}" for cell in cells) + f" {len(values):>9,}", flush=True)


def _table(quantile: int, base: str, samples: Samples) -> Table:
    table = Table(f"W4-p{quantile}", f"W4: commit to start, p{quantile} of each round, less is better", base, "ms")
    for name, rounds in samples.items():
        for delays in rounds:
            table.add(name, max(percentile(delays, quantile), 0.001))
    table.show()
    return table
