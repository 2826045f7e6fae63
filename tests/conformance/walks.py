"""The walks of the retention from their beginning to their end, in steps of any size."""

from __future__ import annotations

from collections import Counter
from uuid import UUID

from jobplane.core.retention import PrunedJobs
from tests.client import Store

Pair = tuple[UUID, str]


async def prune_jobs(
    store: Store, days: int = 30, count: int | None = None, *, limit: int = 1000, dry_run: bool = False
) -> Counter[Pair]:
    """How many jobs of each tenant and definition went."""
    return Counter({key: sum(found.jobs for found in each) for key, each in (await walk_jobs(
        store, days, count, limit=limit, dry_run=dry_run)).items()})  # fmt: skip


async def walk_jobs(
    store: Store, days: int = 30, count: int | None = None, *, limit: int = 1000, dry_run: bool = False
) -> dict[Pair, list[PrunedJobs]]:
    """What each step of a walk says of each tenant and definition from which jobs went."""
    gone: dict[Pair, list[PrunedJobs]] = {}
    counted: Counter[Pair] = Counter()
    before, named = None, list[Pair]()
    for _ in range(1000):
        step = await store.prune_jobs(before, limit, days, count, {pair: counted[pair] for pair in named}, dry_run)
        for found in step.pruned:
            pair = found.tenant_id, found.definition_key
            counted[pair] += found.counted or 0
            if found.jobs:
                gone.setdefault(pair, []).append(found)
        named = [(found.tenant_id, found.definition_key) for found in step.pruned if found.counted is not None]
        assert step.looked <= limit
        if step.before is None:
            return gone
        before = step.before
    raise AssertionError("the walk does not end")


async def prune_logs(store: Store, days: int = 7, *, limit: int = 1000, dry_run: bool = False) -> Counter[str | None]:
    """How many lines of each definition went."""
    gone: Counter[str | None] = Counter()
    after = 0
    for _ in range(1000):
        step = await store.prune_logs(after, limit, days, dry_run)
        gone.update({found.definition_key: found.lines for found in step.pruned})
        assert step.looked <= limit
        if step.after is None:
            return gone
        after = step.after
    raise AssertionError("the walk does not end")


async def prune_receipts(store: Store, *, limit: int = 1000) -> int:
    """How many idempotency keys went."""
    gone, after = 0, None
    for _ in range(1000):
        step = await store.prune_receipts(after, limit)
        gone += step.gone
        if step.after is None:
            return gone
        after = step.after
    raise AssertionError("the walk does not end")


async def find_artifacts(store: Store, *, limit: int = 1000) -> set[str]:
    """The digests that results name."""
    found, after = set[str](), 0
    for _ in range(1000):
        step = await store.find_artifacts(after, limit)
        found.update(step.digests)
        if step.after is None:
            return found
        after = step.after
    raise AssertionError("the walk does not end")
