"""The comparison: every measure in pairs, first one side and then the other, the order swapped in every second pair."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.measure import Plan
from bench.pairs import slices, workers
from bench.pairs.ratios import HEAD, Pairs, Reading
from bench.pairs.sides import ROOT, Side
from bench.rig import Rig, running

PAIRS: Final = 7

Read = Callable[[Rig, Plan, Sequence[Side]], Awaitable[list[Reading]]]


@dataclass(frozen=True, slots=True)
class Measure:
    """A reading of each side, in the order of the sides."""

    title: str
    read: Read


def _probed(name: str) -> Read:
    async def read(rig: Rig, plan: Plan, sides: Sequence[Side]) -> list[Reading]:
        return slices.read(rig, plan, sides, name)

    return read


MEASURES: Final = {
    "enqueue": Measure("SQL enqueue, one by one", _probed("enqueue")),
    "enqueue-many": Measure("SQL enqueue, batches of 1000", _probed("enqueue-many")),
    "typed": Measure("job.enqueue, one by one", _probed("typed")),
    "typed-async": Measure("job.enqueue_async, one by one", _probed("typed-async")),
    "typed-many": Measure("jp.enqueue_many, batches of 1000", _probed("typed-many")),
    "claim": Measure("SQL claim + settle, batches of 500", _probed("claim")),
    "manager": Measure("JobManager: create, acquire, end", _probed("manager")),
    "worker": Measure("W3: worker, jobs that do nothing", workers.throughput),
    "latency": Measure("W4: idle worker, commit to start", workers.latency),
    "sqlite-enqueue": Measure("SQLite: job.enqueue, one by one", _probed("sqlite-enqueue")),
    "sqlite-many": Measure("SQLite: enqueue_many of 1000", _probed("sqlite-many")),
    "sqlite-drain": Measure("SQLite: jp.drain", _probed("sqlite-drain")),
}


async def compare(before: Path, names: Sequence[str], plan: Plan) -> list[Pairs]:
    """Measure the checkout at `before` beside this one, and print the ratios."""
    sides = Side.of("before", before), Side.of("after", ROOT)
    for side in sides:
        print(f"{side.name + ':':<8}{side.checkout} {side.version()}")
    print(f"\nreadings: medians; ratio: after over before, the median of the pairs ({plan.rounds})\n{HEAD}")
    with running() as rig:
        return [await _paired(rig, plan, sides, MEASURES[name]) for name in names or MEASURES]


async def _paired(rig: Rig, plan: Plan, sides: tuple[Side, Side], measure: Measure) -> Pairs:
    pairs = Pairs(measure.title)
    for turn in range(plan.rounds):
        step = -1 if turn % 2 else 1
        before, after = (await measure.read(rig, plan, sides[::step]))[::step]
        pairs.add(before, after)
    print("\n".join(pairs.lines()), flush=True)
    return pairs
