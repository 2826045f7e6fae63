"""prune_logs and find_artifacts."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

import pytest

from jobplane.core.errors import Invalid
from jobplane.core.logs import NewLogLine
from jobplane.core.model import Outcome
from tests.client import Store
from tests.clock import START, Clock
from tests.conformance.backend import Audit
from tests.conformance.factory import Factory, new
from tests.conformance.walks import find_artifacts, prune_jobs, prune_logs
from tests.leases import Held

DAY: Final = timedelta(days=1)
DIGESTS: Final = ["a" * 64, "b" * 64]


async def logged(make: Factory, lines: int = 1, *, definition: str = "d") -> Held:
    lease = await make.lease(definition=definition)
    said = [NewLogLine(lease, number, START, "info", f"said {number}") for number in range(1, lines + 1)]
    assert await make.store.log_lines(said) == []
    return lease


async def read(make: Factory, lease: Held) -> int:
    return len(await make.store.read_logs(make.alice, lease.job_id))


async def test_the_lines_of_a_job_go_exactly_when_its_days_are_over(store: Store, make: Factory, clock: Clock) -> None:
    lease = await logged(make, 3)
    await make.settle(lease, Outcome.SUCCEEDED)
    clock.advance(7 * DAY - timedelta(microseconds=1))
    assert await prune_logs(store) == {}
    assert await read(make, lease) == 3

    clock.advance(timedelta(microseconds=1))

    assert await prune_logs(store) == {"d": 3}
    assert await read(make, lease) == 0
    assert (await make.get(lease.job_id)).status == "succeeded"


@pytest.mark.parametrize(("own", "default", "goes"), [(30, 7, False), (1, 7, True), (None, 30, False), (0, 30, True)])
async def test_a_definition_says_how_long_its_lines_are_kept(
    store: Store, make: Factory, clock: Clock, own: int | None, default: int, *, goes: bool
) -> None:
    """In an installation with two jobs, and a definition that keeps its lines for long."""
    await make.define("own", retention_days_logs=own)
    await make.define("long", retention_days_logs=900)
    for key in ("long", "own"):
        await make.settle(await logged(make, definition=key), Outcome.SUCCEEDED)
    clock.advance(20 * DAY)

    assert await prune_logs(store, default) == ({"own": 1} if goes else {})


async def test_the_days_of_lines_and_of_jobs_are_two_settings(store: Store, make: Factory, clock: Clock) -> None:
    """B-49: one setting drove both."""
    await make.define("own", retention_days=3, retention_days_logs=900)
    lease, own = await logged(make), await logged(make, definition="own")
    await make.settle(lease, Outcome.SUCCEEDED)
    await make.settle(own, Outcome.SUCCEEDED)
    clock.advance(10 * DAY)

    assert await prune_logs(store) == {"d": 1}
    assert await prune_jobs(store) == {(make.alice, "own"): 1}


async def test_lines_of_a_job_that_is_active_stay(store: Store, make: Factory, clock: Clock) -> None:
    running, waiting, retried = await logged(make), await logged(make), await logged(make)
    await make.settle(waiting, Outcome.FAILED, retry_after=86_400 * 300)
    await make.settle(retried, Outcome.FATAL)
    clock.advance(100 * DAY)
    await store.retry(make.alice, [retried.job_id])

    assert await prune_logs(store, 0) == {}

    assert [await read(make, lease) for lease in (running, waiting, retried)] == [1, 1, 1]


@pytest.mark.parametrize("limit", [1, 3, 1000])
async def test_lines_whose_job_is_gone_go(store: Store, make: Factory, clock: Clock, audit: Audit, limit: int) -> None:
    await make.define("short", retention_days_logs=0)  # no job is too young to look at
    leases = [await logged(make, 2) for _ in range(3)]
    for lease in leases:
        await make.settle(lease, Outcome.SUCCEEDED)
    seq = leases[1].seq
    for table in ("jobs", "endings", "attempts"):
        audit.meddle(f"delete from jobplane.{table} where seq = {seq}")
    clock.advance(1)

    assert await prune_logs(store, 30, limit=limit, dry_run=True) == await prune_logs(store, 30, limit=limit)

    assert audit.look(f"select 1 from jobplane.logs where seq = {seq}") == []
    assert [await read(make, leases[0]), await read(make, leases[2])] == [2, 2]


@pytest.mark.parametrize("limit", [1, 2, 1000])
async def test_lines_go_in_small_steps(store: Store, make: Factory, clock: Clock, limit: int) -> None:
    leases = [await logged(make, 11) for _ in range(3)]
    for lease in (leases[0], leases[2]):
        await make.settle(lease, Outcome.SUCCEEDED)
    clock.advance(7 * DAY)
    assert await prune_logs(store, limit=limit, dry_run=True) == {"d": 22}
    assert await read(make, leases[0]) == 11

    step = await store.prune_logs(limit=limit)
    assert sum(found.lines for found in step.pruned) == min(22, 5 * limit)
    assert (await prune_logs(store, limit=limit)).total() == 22 - min(22, 5 * limit)
    assert [await read(make, lease) for lease in leases] == [0, 11, 0]


async def test_a_walk_ends_at_jobs_that_are_too_young(store: Store, make: Factory, clock: Clock) -> None:
    await make.settle(await logged(make), Outcome.SUCCEEDED)
    clock.advance(7 * DAY)
    for _ in range(5):
        await make.settle(await logged(make), Outcome.SUCCEEDED)

    first = await store.prune_logs(limit=1)
    assert first.after is not None
    assert (first.pruned[0].lines, (await store.prune_logs(first.after, 2)).after) == (1, None)


async def test_lines_of_a_search_are_gone_too(store: Store, make: Factory, clock: Clock) -> None:
    await make.settle(await logged(make, 2), Outcome.SUCCEEDED)
    await store.tidy()
    clock.advance(7 * DAY)
    await prune_logs(store)

    assert (await store.search_logs(make.alice, "said")).lines == []


@pytest.mark.parametrize("days", [-1, 36_501])
async def test_days_that_cannot_be_are_refused(store: Store, make: Factory, days: int) -> None:
    with pytest.raises(Invalid, match="retention_days"):
        await store.prune_logs(retention_days=days)


def reference(digest: str) -> dict[str, dict[str, str | int]]:
    return {"jobplane_artifact": {"sha256": digest, "bytes": 9, "media_type": "application/json"}}


@pytest.mark.parametrize("limit", [1, 1000])
async def test_an_artifact_is_named_while_one_of_its_jobs_is_there(
    store: Store, make: Factory, clock: Clock, limit: int
) -> None:
    await make.define("short", retention_days=1)
    for key, digest in (("short", DIGESTS[0]), ("d", DIGESTS[0]), ("short", DIGESTS[1])):
        await make.settle(await make.lease(definition=key), Outcome.SUCCEEDED, result=reference(digest))
    for result in ({"jobplane_artifact": "x"}, "jobplane_artifact", [1], {"large": "x" * 5000}):
        await make.settle(await make.lease(), Outcome.SUCCEEDED, result=result)
    await make.enqueue(new())
    assert await find_artifacts(store, limit=limit) == set(DIGESTS)
    clock.advance(2 * DAY)

    await prune_jobs(store)

    assert await find_artifacts(store, limit=limit) == {DIGESTS[0]}
