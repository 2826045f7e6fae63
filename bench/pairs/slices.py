"""Probes of both sides at once, which take turns slice by slice: a machine drifts within seconds."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final

from bench.measure import Plan
from bench.pairs import probe, workers
from bench.pairs.clocks import Spent
from bench.pairs.ratios import Reading
from bench.pairs.sides import Side
from bench.rig import Database, Rig

SLICES: Final = (6, 2)  # of each side
SLICE_SECONDS: Final = 0.25
STOP_SECONDS: Final = 10.0


def read(rig: Rig, plan: Plan, sides: Sequence[Side], name: str) -> list[Reading]:
    """A reading of each side, the sum of its slices. The order of the sides is swapped after each slice."""
    with ExitStack() as stack:
        probes = [stack.enter_context(_probing(rig, plan, side, name)) for side in sides]
        sums = [Spent() for _ in probes]
        for part in range(plan.pick(*SLICES)):
            for number in (0, 1) if part % 2 == 0 else (1, 0):
                sums[number] += _slice(probes[number])
        return [spent.reading for spent in sums]


@contextmanager
def _probing(rig: Rig, plan: Plan, side: Side, name: str) -> Generator[subprocess.Popen[str]]:
    with ExitStack() as stack:
        database = None if name in probe.ON_SQLITE else stack.enter_context(_database(rig, plan, side, name))
        program = side.probe(database, name, SLICE_SECONDS)
        try:
            _line(program)  # it has warmed up
            yield program
            program.communicate(timeout=STOP_SECONDS)  # the end of its input is the end of its work
        finally:
            program.kill()
            program.wait()


@contextmanager
def _database(rig: Rig, plan: Plan, side: Side, name: str) -> Generator[Database]:
    backlog = plan.pick(*workers.BACKLOG)
    with rig.fresh(side.filled(rig, backlog) if name in probe.WORKERS else side.template(rig)) as database:
        yield database


def _slice(program: subprocess.Popen[str]) -> Spent:
    assert program.stdin
    program.stdin.write("\n")
    program.stdin.flush()
    return Spent(**json.loads(_line(program)))


def _line(program: subprocess.Popen[str]) -> str:
    assert program.stdout
    assert program.stderr
    line = program.stdout.readline()
    if not line:
        raise RuntimeError(f"A probe has failed: {program.stderr.read()[-2000:]}")
    return line
