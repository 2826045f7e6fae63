"""Steps that use the Python API as a program does, on any database."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from bench.pairs.clocks import Step
from bench.pairs.jobs import BATCH, KEY, PAD, noop, payload
from jobplane import JobManager, Jobplane

TURN: Final = 50  # awaited calls of one step, so that starting the event loop does not count
DRAINED: Final = 200


@contextmanager
def typed(url: str) -> Generator[Step]:
    with Jobplane(url) as jp:
        job = jp.job(KEY)(noop)

        def step() -> int:
            job.enqueue(i=1, pad=PAD)
            return 1

        yield step


@contextmanager
def typed_many(url: str) -> Generator[Step]:
    with Jobplane(url) as jp:
        job = jp.job(KEY)(noop)
        yield lambda: len(jp.enqueue_many([job.call(i=i, pad=PAD) for i in range(BATCH)], raise_refused=True))


@contextmanager
def typed_async(url: str) -> Generator[Step]:
    with asyncio.Runner() as runner:
        jp = Jobplane(url)
        job = jp.job(KEY)(noop)

        async def turn() -> int:
            for number in range(TURN):
                await job.enqueue_async(i=number, pad=PAD)
            return TURN

        yield lambda: runner.run(turn())
        runner.run(jp.aclose())


@contextmanager
def life(url: str) -> Generator[Step]:
    """A job's whole life through the manager: created, acquired, completed."""
    with JobManager.connect(url) as manager:

        def step() -> int:
            manager.create_job("bench", "pairs", KEY, payload(1), "alice")
            job = manager.acquire_next_job("bench", "pairs", 60, "bench")
            if job is None:
                raise RuntimeError("The job that was just created cannot be acquired.")
            manager.complete_job(job["id"], worker_id="bench", lease_id=job["lease_id"])
            return 1

        yield step


@contextmanager
def drain(url: str) -> Generator[Step]:
    """Run jobs in this process; filling the queue again is not timed."""
    with Jobplane(url) as jp:
        job = jp.job(KEY)(noop)
        waiting = 0

        def step() -> int:
            nonlocal waiting
            if waiting:
                waiting = 0
                return jp.drain()
            waiting = len(jp.enqueue_many([job.call(i=i, pad=PAD) for i in range(DRAINED)], raise_refused=True))
            return 0

        yield step
