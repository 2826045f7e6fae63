"""sqlite: the SQLite store beside huey on SQLite, both with synchronous = FULL, in one process."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from huey import SqliteHuey

from bench.measure import Plan
from bench.produce import payload
from bench.rig import Rig
from bench.table import Table
from jobplane.core.leases import Settlement
from jobplane.core.model import DEFAULT_TENANT, NewJob
from jobplane.store.sqlite.blocking import BlockingSqliteStore
from jobplane.store.verbs.engine import Claim, PutDefinitions, Settle
from jobplane.store.verbs.jobs import Enqueue

SLICES: Final = 10
SLICE_SECONDS: Final = 0.25
DRAINED: Final = 500

Step = Callable[[], int]


async def measure(_rig: Rig, plan: Plan) -> list[Table]:
    with tempfile.TemporaryDirectory() as directory, _ours(Path(directory)) as store:
        peer = _Peer(Path(directory))
        return [
            _table("sqlite-1", "SQLite: enqueue one by one", plan, {"huey": peer.send, "jobplane": _sender(store, 1)}),
            _table("sqlite-100", "SQLite: enqueue, jobplane in batches of 100", plan,
                   {"huey": peer.send, "jobplane": _sender(store, 100)}),
            _table("sqlite-drain", "SQLite: run what is queued, jobplane claims and settles 100 at once", plan,
                   {"huey": peer.drain, "jobplane": _drainer(store, 100)}),
            _table("sqlite-drain-1", "SQLite: the same one by one", plan,
                   {"huey": peer.drain, "jobplane": _drainer(store, 1)}),
        ]  # fmt: skip


@contextmanager
def _ours(directory: Path) -> Generator[BlockingSqliteStore]:
    with BlockingSqliteStore(str(directory / "jobs.db")) as store:
        store.run(PutDefinitions([{"key": "noop", "kind": "python"}]))
        yield store


def _sender(store: BlockingSqliteStore, batch: int) -> Step:
    jobs = [NewJob(definition="noop", payload=payload(number)) for number in range(batch)]

    def send() -> int:
        store.run(Enqueue(DEFAULT_TENANT, jobs))
        return batch

    return send


def _drainer(store: BlockingSqliteStore, batch: int) -> Step:
    top_up = _sender(store, DRAINED)

    def drain() -> int:
        leases = store.run(Claim("default", "bench", limit=batch)).leases
        if not leases:
            top_up()
            return 0
        store.run(Settle([Settlement(lease) for lease in leases]))
        return len(leases)

    return drain


class _Peer:
    """huey as its own worker drives it: a task is taken, run, and its result kept."""

    def __init__(self, directory: Path) -> None:
        self._huey: Any = SqliteHuey("bench", filename=str(directory / "huey.db"), fsync=True)
        self._task = self._huey.task(name="noop")(_noop)

    def send(self) -> int:
        self._task(1, "x" * 80)
        return 1

    def drain(self) -> int:
        task = self._huey.dequeue()
        if task is None:
            for _ in range(DRAINED):
                self.send()
            return 0
        self._huey.execute(task)
        return 1


def _noop(number: int, pad: str) -> None:
    """Do nothing."""


def _table(key: str, title: str, plan: Plan, cases: Mapping[str, Step]) -> Table:
    table = Table(key, title, "huey")
    for turn in range(plan.rounds):
        done, took = dict.fromkeys(cases, 0), dict.fromkeys(cases, 0.0)
        for part in range(plan.pick(SLICES, 3)):
            names = list(cases)
            random.Random(turn * SLICES + part).shuffle(names)
            for name in names:
                jobs, seconds = _slice(cases[name])
                done[name] += jobs
                took[name] += seconds
        for name in cases:
            table.add(name, done[name] / took[name])
    table.show()
    return table


def _slice(step: Step) -> tuple[int, float]:
    """So many seconds of work; what a step puts in to go on with is not timed."""
    jobs, seconds = 0, 0.0
    while seconds < SLICE_SECONDS:
        start = time.perf_counter()
        done = step()
        if done:
            jobs += done
            seconds += time.perf_counter() - start
    return jobs, seconds
