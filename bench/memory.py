"""memory: what a worker holds with 1,000 jobs in flight: its supervisor, and an executor above its application."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from bench.contenders import ROOT, ours
from bench.cpu import PROC, family
from bench.measure import Plan
from bench.rig import Rig
from bench.staff import EXECUTOR, Staff, staffed
from bench.table import Table

JOBS: Final = 1000
PATIENCE_SECONDS: Final = 60.0
LEASED: Final = "select count(*) from jobplane.leases where begun"
APPLICATION: Final = "import bench.noop; print(flush=True); input()"
SUPERVISOR: Final = "supervisor"
ABOVE: Final = "executor, above its application"
LIMITS: Final = {SUPERVISOR: ("120 MB", 120.0), ABOVE: ("40 MB", 40.0)}


async def measure(rig: Rig, plan: Plan) -> list[Table]:
    table = Table("memory", f"memory of a worker with {JOBS:,} jobs in flight", SUPERVISOR, "MB")
    for _ in range(plan.rounds):
        with rig.fresh(ours().filled(rig, JOBS)) as database, _application() as alone:
            async with staffed(ours(handler="wait", slots=JOBS // 2, prefetch=0), database) as staff:
                await _all_begun(staff)
                found = _held(staff, alone)
        for name, megabytes in found.items():
            table.add(name, megabytes)
            table.add(*LIMITS[name])
    table.show(with_ratios=False)
    return [table]


def _held(staff: Staff, alone: float) -> dict[str, float]:
    """The largest of the executors: the spare has nothing to hold."""
    [worker] = staff.workers
    executors = [pid for pid, command in family(worker.pid).items() if EXECUTOR in command]
    return {SUPERVISOR: megabytes(worker.pid), ABOVE: max(map(megabytes, executors)) - alone}


async def _all_begun(staff: Staff) -> None:
    """A renewal has said so of each of them."""
    deadline = time.perf_counter() + PATIENCE_SECONDS
    while (begun := staff.counter.execute(LEASED).fetchall()) != [(JOBS,)]:
        if time.perf_counter() > deadline:
            raise RuntimeError(f"{begun[0][0]} of {JOBS} jobs have begun after {PATIENCE_SECONDS:.0f} seconds")
        await asyncio.sleep(0.1)


@contextmanager
def _application() -> Generator[float]:
    """What a process has that has imported the application, and nothing else."""
    argv = [sys.executable, "-c", APPLICATION]
    with subprocess.Popen(argv, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        yield megabytes(process.pid)
        process.communicate(b"\n")


def megabytes(pid: int) -> float:
    """Resident, what it shares with others among it."""
    [line] = [line for line in (PROC / str(pid) / "status").read_text().splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) / 1024
