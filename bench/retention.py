"""retention: jobs through enqueue, claim and settle, alone and beside the removal of old ones."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from bench import seed
from bench.measure import Case, Plan, Span, Stand, interleave
from bench.rig import Rig
from bench.table import Table
from jobplane.control.retention import Retention
from jobplane.core.leases import Ending, Settlement
from jobplane.core.model import NewJob, Outcome
from jobplane.store.postgres.calls.call import Role
from jobplane.store.postgres.settings import Settings
from jobplane.store.postgres.store import PostgresStore
from jobplane.store.verbs.engine import Claim, Settle
from jobplane.store.verbs.jobs import Enqueue

LOGINS: Final[tuple[Role, ...]] = ("app", "worker", "scheduler")
ALONE: Final = "alone"
BESIDE: Final = "beside retention"
BATCH: Final = 20
SLICES: Final = 5
SLICE_SECONDS: Final = 2.0


async def measure(rig: Rig, plan: Plan) -> list[Table]:
    """Ended jobs of forty days ago lie in both databases; in one of them they are removed meanwhile."""
    old = plan.pick(300_000, 20_000)
    title = f"enqueue, claim and settle in batches of {BATCH}, beside the removal of {old:,} old jobs"
    cases = {ALONE: _case(rig, old, prunes=False), BESIDE: _case(rig, old, prunes=True)}
    return [await interleave(Table("retention", title, ALONE, unit="jobs/s"), cases, plan, SLICES)]


def _case(rig: Rig, old: int, *, prunes: bool) -> Case:
    @asynccontextmanager
    async def case() -> AsyncGenerator[Stand]:
        with rig.fresh(seed.ours(rig, 100)) as database:
            seed.jobs(database, old, state="ended", at="now() - interval '40 days'")
            database.settle_down()
            urls: dict[Role, str] = {role: database.url(role) for role in LOGINS}
            async with PostgresStore(Settings(urls=urls)) as store:
                yield Stand(database, lambda: _slice(store, prunes=prunes))

    return case


async def _slice(store: PostgresStore, *, prunes: bool) -> Span:
    removal = asyncio.create_task(_prune(store)) if prunes else None
    began, done = time.perf_counter(), 0
    while time.perf_counter() < began + SLICE_SECONDS:
        await store.run(Enqueue(seed.tenant(1), [NewJob(definition="noop", payload={})] * BATCH))
        claimed = await store.run(Claim("default", "bench", BATCH))
        await store.run(Settle([Settlement(lease, Ending(Outcome.SUCCEEDED)) for lease in claimed.leases]))
        done += len(claimed.leases)
    span = Span(done, time.perf_counter() - began)
    if removal is not None:
        removal.cancel()
        await asyncio.gather(removal, return_exceptions=True)
    return span


async def _prune(store: PostgresStore) -> None:
    await Retention(store).prune_jobs()
