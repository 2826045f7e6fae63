"""Readings taken in turn, in slices, and the tables made of them.

A machine drifts by a factor of two between minutes, so all cases of a table are set up at once and worked on in short
slices, in an order that changes; a reading is the sum of a round's slices, and a ratio is taken within a round.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from typing import TypeVar

from bench.rig import Database
from bench.table import Table

Size = TypeVar("Size")


@dataclass(frozen=True, slots=True)
class Plan:
    """How much a run does."""

    rounds: int = 3
    quick: bool = False

    def pick(self, full: Size, quick: Size) -> Size:
        return quick if self.quick else full

    def few(self, cases: Mapping[str, Size], *names: str) -> dict[str, Size]:
        """All of them, or in a hurry those with these names."""
        return {name: case for name, case in cases.items() if not self.quick or name in names}


@dataclass(frozen=True, slots=True)
class Span:
    """What one slice got done."""

    jobs: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Stand:
    """A case that is set up: its database, and a step that does one slice of the work."""

    database: Database
    step: Callable[[], Awaitable[Span]]


Case = Callable[[], AbstractAsyncContextManager[Stand]]


@dataclass
class Tally:
    """One case's slices of one round, and the CPU time of its server processes."""

    stand: Stand
    jobs: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0

    async def step(self) -> None:
        before = self.stand.database.cpu_seconds()
        span = await self.stand.step()
        self.cpu_seconds += self.stand.database.cpu_seconds() - before
        self.jobs += span.jobs
        self.seconds += span.seconds

    @property
    def rate(self) -> float:
        return self.jobs / self.seconds

    @property
    def cpu_us(self) -> float:
        """For each job."""
        return self.cpu_seconds / max(self.jobs, 1) * 1e6


async def interleave(table: Table, cases: Mapping[str, Case], plan: Plan, slices: int) -> Table:
    """Fill the table with one reading of every case for each round, and print it."""
    for turn in range(plan.rounds):
        async with AsyncExitStack() as stack:
            tallies = {name: Tally(await stack.enter_async_context(case())) for name, case in cases.items()}
            for part in range(slices):
                names = list(tallies)
                random.Random(turn * slices + part).shuffle(names)
                for name in names:
                    await tallies[name].step()
        for name in cases:
            table.add(name, tallies[name].rate, tallies[name].cpu_us)
    table.show()
    return table
