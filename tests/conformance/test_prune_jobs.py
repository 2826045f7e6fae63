"""prune_jobs and prune_receipts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import pytest

from jobplane.core.errors import Invalid, JobNotFound
from jobplane.core.logs import NewLogLine
from jobplane.core.model import SYSTEM_TENANT, Outcome
from jobplane.core.outputs import CommandOutput, NewOutput
from tests.client import Store
from tests.clock import START, Clock
from tests.conformance.backend import Audit
from tests.conformance.factory import ENDS, Factory, new
from tests.conformance.walks import prune_jobs, prune_receipts, walk_jobs

TABLES: Final = ("jobs", "endings", "attempts", "results", "outputs", "receipts", "dedupe", "expiring", "logs")
DAY: Final = timedelta(days=1)


def rows(audit: Audit) -> dict[str, int]:
    """How many rows are left in each table of a job."""
    return {table: len(audit.look(f"select 1 from jobplane.{table}")) for table in TABLES}


async def left(make: Factory, *jobs: UUID, tenant: UUID | None = None) -> list[bool]:
    found = {job.id for job in await make.store.get_jobs(tenant or make.alice, jobs)}
    return [job in found for job in jobs]


@pytest.mark.parametrize("status", ENDS)
async def test_an_ended_job_goes_exactly_when_its_days_are_over(
    store: Store, make: Factory, clock: Clock, status: str
) -> None:
    job = await make.over(status)
    clock.advance(30 * DAY - timedelta(microseconds=1))
    assert await prune_jobs(store) == {}
    assert await left(make, job) == [True]

    clock.advance(timedelta(microseconds=1))

    assert await prune_jobs(store) == {(make.alice, "d"): 1}
    assert await left(make, job) == [False]
    assert await prune_jobs(store) == {}


async def test_a_job_goes_with_all_that_belongs_to_it(store: Store, make: Factory, clock: Clock, audit: Audit) -> None:
    lease = await make.lease(
        idempotency_key="i", dedupe_key="k", correlation_id="c", expires_at=START + timedelta(days=900), max_attempts=2
    )
    await store.log_lines([NewLogLine(lease, number, START, "info", "said") for number in (1, 2, 3)])
    await store.write_outputs([NewOutput(lease, CommandOutput(pid=7))])
    await make.settle(lease, Outcome.FAILED, retry_after=0)
    clock.advance(1)
    await make.settle(await make.again(), Outcome.SUCCEEDED, result={"a": 1})
    clock.advance(30 * DAY)

    gone = await walk_jobs(store)

    [found] = gone[make.alice, "d"]
    assert (found.jobs, found.lines, found.oldest_at) == (1, 3, START + timedelta(seconds=1))
    assert rows(audit) == dict.fromkeys(TABLES, 0)
    with pytest.raises(JobNotFound):
        await store.result(make.alice, lease.job_id)
    answers = await make.enqueue(new(idempotency_key="i", dedupe_key="k", id=lease.job_id))
    assert [answer.outcome for answer in answers] == ["created"]


async def test_a_job_that_has_not_ended_never_goes(store: Store, make: Factory, clock: Clock) -> None:
    await make.define(retention_days=0, retention_count=0)
    await make.define("off", retention_days=0, retention_count=0)
    upcoming, held = await make.in_state("upcoming"), await make.in_state("held")
    running = (await make.lease()).job_id
    ready = await make.in_state("ready")
    clock.advance(400 * DAY)

    assert await prune_jobs(store, 0, 0) == {}

    assert await left(make, upcoming, held, running, ready) == [True] * 4


async def test_a_retried_job_is_kept_and_its_days_begin_again(store: Store, make: Factory, clock: Clock) -> None:
    job = await make.over("failed")
    clock.advance(30 * DAY)
    await store.retry(make.alice, [job])
    assert await prune_jobs(store, 0, 0) == {}

    lease = await make.again()
    await make.settle(lease, Outcome.FATAL)
    clock.advance(29 * DAY)
    assert await prune_jobs(store) == {}
    assert len(await store.attempts(make.alice, job)) == 2
    clock.advance(DAY)

    assert await prune_jobs(store) == {(make.alice, "d"): 1}


@pytest.mark.parametrize(
    ("own", "default", "goes"), [(40, 30, False), (10, 30, True), (None, 30, False), (0, 90, True)]
)
async def test_the_days_of_a_definition_go_before_the_default(
    store: Store, make: Factory, clock: Clock, own: int | None, default: int, *, goes: bool
) -> None:
    await make.define("own", retention_days=own)
    await make.over("succeeded", definition="own")
    clock.advance(20 * DAY)

    assert await prune_jobs(store, default) == ({(make.alice, "own"): 1} if goes else {})


@pytest.mark.parametrize(("own", "default", "gone"), [(2, None, 3), (2, 4, 3), (None, 4, 1), (5, 1, 0), (0, 9, 5)])
async def test_the_count_of_a_definition_goes_before_the_default(
    store: Store, make: Factory, clock: Clock, own: int | None, default: int | None, gone: int
) -> None:
    await make.define("own", retention_count=own)
    jobs = [await make.over("succeeded", definition="own") for _ in range(5)]

    assert (await prune_jobs(store, 30, default)).total() == gone

    assert await left(make, *jobs) == [False] * gone + [True] * (5 - gone)


@pytest.mark.parametrize("limit", [1, 2, 3, 1000])
async def test_the_newest_stay_of_each_tenant_and_definition(store: Store, make: Factory, limit: int) -> None:
    """Jobs of several tenants and definitions lie between each other, and a step ends anywhere."""
    await make.define("a", retention_count=2)
    await make.define("b")
    made: dict[tuple[UUID, str], list[UUID]] = {}
    for _ in range(4):
        for tenant in (make.alice, make.charlie):
            for key in ("a", "b", "d"):
                made.setdefault((tenant, key), []).append(await make.over("canceled", definition=key, tenant=tenant))

    gone = await prune_jobs(store, 30, 3, limit=limit)

    assert gone == {pair: 2 if pair[1] == "a" else 1 for pair in made}
    for (tenant, key), jobs in made.items():
        kept = 2 if key == "a" else 3
        assert await left(make, *jobs, tenant=tenant) == [False] * (4 - kept) + [True] * kept


async def test_a_later_step_may_be_larger_than_the_first(store: Store, make: Factory) -> None:
    await make.define(retention_count=2)
    jobs = [await make.over("succeeded", tenant=tenant) for tenant in [make.charlie, make.alice] * 3]

    first = await store.prune_jobs(limit=1)
    named = {(found.tenant_id, found.definition_key): found.counted or 0 for found in first.pruned}
    second = await store.prune_jobs(first.before, 1000, counted=named)

    assert named == {(make.alice, "d"): 1, (make.charlie, "d"): 0}
    assert {found.tenant_id: (found.jobs, found.counted) for found in second.pruned} == {
        make.alice: (1, 2),
        make.charlie: (1, 3),
    }
    assert await left(make, *jobs[1::2]) == [False, True, True]


async def test_the_count_of_one_definition_leaves_the_jobs_of_another_alone(store: Store, make: Factory) -> None:
    """B-25: keeping two runs of one job deleted every run of the other."""
    await make.define("counted", retention_count=2)
    await make.define("other")
    counted = [await make.over("succeeded", definition="counted") for _ in range(3)]
    others = [await make.over("succeeded", definition="other") for _ in range(5)]
    active = [await make.job(definition="counted") for _ in range(3)]

    assert await prune_jobs(store) == {(make.alice, "counted"): 1}

    assert await left(make, *counted) == [False, True, True]
    assert await left(make, *others, *active) == [True] * 8


async def test_charlies_jobs_are_untouched_by_what_alice_has(store: Store, make: Factory) -> None:
    await make.define(retention_count=2)
    charlies = [await make.over("succeeded", tenant=make.charlie) for _ in range(2)]
    for _ in range(6):
        await make.over("succeeded")

    assert await prune_jobs(store, limit=3) == {(make.alice, "d"): 4}

    assert await left(make, *charlies, tenant=make.charlie) == [True, True]


async def test_jobs_of_the_tenant_system_go_too(store: Store, make: Factory, clock: Clock) -> None:
    await make.over("succeeded", tenant=SYSTEM_TENANT)
    clock.advance(30 * DAY)

    assert await prune_jobs(store) == {(SYSTEM_TENANT, "d"): 1}


async def test_a_job_whose_definition_is_gone_has_the_default(
    store: Store, make: Factory, clock: Clock, audit: Audit
) -> None:
    await make.define("own", retention_days=900)
    await make.over("succeeded", definition="own")
    audit.meddle("delete from jobplane.definitions where key = 'own'")
    clock.advance(30 * DAY)

    assert await prune_jobs(store) == {(make.alice, "own"): 1}


@pytest.mark.parametrize("limit", [1, 1000])
async def test_a_dry_run_counts_and_removes_nothing(
    store: Store, make: Factory, clock: Clock, audit: Audit, limit: int
) -> None:
    await make.define("counted", retention_count=1)
    for key in ("d", "counted", "counted"):
        lease = await make.lease(definition=key, idempotency_key=f"{key}{await make.count()}")
        await store.log_lines([NewLogLine(lease, 1, START, "info", "said")])
        await make.settle(lease, Outcome.SUCCEEDED)
    clock.advance(29 * DAY)
    await make.over("succeeded")
    before = rows(audit)

    dry = await walk_jobs(store, limit=limit, dry_run=True)
    assert {pair: (sum(x.jobs for x in each), sum(x.lines for x in each)) for pair, each in dry.items()} == {
        (make.alice, "counted"): (1, 1)
    }
    clock.advance(DAY)
    dry = await walk_jobs(store, limit=limit, dry_run=True)
    assert rows(audit) == before
    assert await walk_jobs(store, limit=limit) == dry
    assert rows(audit)["jobs"] == 1


async def test_a_walk_goes_on_below_the_job_that_it_ended_at(store: Store, make: Factory, clock: Clock) -> None:
    for _ in range(5):
        await make.over("succeeded")
    clock.advance(30 * DAY)
    steps = [await store.prune_jobs(limit=2)]
    while steps[-1].before is not None:
        steps.append(await store.prune_jobs(steps[-1].before, 2))

    assert [step.looked for step in steps] == [2, 2, 1]
    assert [step.before is None for step in steps] == [False, False, True]


async def test_a_job_with_many_lines_goes_after_the_last_of_them(
    store: Store, make: Factory, clock: Clock, audit: Audit
) -> None:
    first = await make.over("succeeded")
    lease = await make.lease()
    await store.log_lines([NewLogLine(lease, number, START, "info", "said") for number in range(1, 13)])
    await make.settle(lease, Outcome.SUCCEEDED)
    await make.define(retention_count=0)

    step = await store.prune_jobs(limit=1)
    assert (step.pruned[0].jobs, step.pruned[0].counted, rows(audit)["logs"]) == (0, 0, 7)
    assert await left(make, lease.job_id) == [True]
    assert await prune_jobs(store, limit=1) == {(make.alice, "d"): 2}
    assert await left(make, first, lease.job_id) == [False, False]
    assert rows(audit)["logs"] == 0


async def test_a_walk_by_age_alone_begins_at_the_first_job_that_is_old_enough(
    store: Store, make: Factory, clock: Clock
) -> None:
    """Three thousand young jobs are not looked at."""
    await make.over("succeeded")
    clock.advance(30 * DAY)
    await make.define("far", active=True)
    for _ in range(3):
        await make.enqueue(*[new(definition="far", delay_seconds=3600)] * 1000)

    step = await store.prune_jobs()

    assert step.looked < 1000
    assert await left(make) == []
    assert [(found.definition_key, found.jobs) for found in step.pruned] == [("d", 1)]


async def test_a_key_that_met_a_job_of_another_key_goes_after_that_job(
    store: Store, make: Factory, clock: Clock, audit: Audit
) -> None:
    await make.enqueue(new(dedupe_key="k", idempotency_key="first"))
    [met] = await make.enqueue(new(dedupe_key="k", idempotency_key="second"))
    assert met.outcome == "existing"
    [lease] = await make.claim()
    await make.settle(lease, Outcome.SUCCEEDED)
    await make.over("succeeded", idempotency_key="third")
    clock.advance(30 * DAY)
    kept = await make.over("succeeded", idempotency_key="kept")

    assert (await prune_jobs(store)).total() == 2
    assert rows(audit)["receipts"] == 2
    assert await prune_receipts(store, limit=1) == 1
    assert await prune_receipts(store) == 0

    [again] = await make.enqueue(new(idempotency_key="kept"))
    assert (again.outcome, again.job_id) == ("existing", kept)


async def test_a_key_whose_job_is_gone_is_free_at_once(store: Store, make: Factory, clock: Clock) -> None:
    await make.enqueue(new(dedupe_key="k"))
    await make.enqueue(new(dedupe_key="k", idempotency_key="i", payload={}))
    [lease] = await make.claim()
    await make.settle(lease, Outcome.SUCCEEDED)
    clock.advance(30 * DAY)
    assert (await prune_jobs(store)).total() == 1

    first, second = await make.enqueue(new(idempotency_key="i"), new(idempotency_key="i"))

    assert (first.outcome, second.outcome, second.job_id) == ("created", "existing", first.job_id)


async def test_what_a_person_does_to_a_job_that_is_gone_finds_nothing(
    store: Store, make: Factory, clock: Clock
) -> None:
    job = await make.over("failed")
    clock.advance(30 * DAY)
    await prune_jobs(store)

    [canceled] = await store.cancel(make.alice, [job])
    [retried] = await store.retry(make.alice, [job])
    [moved] = await store.reschedule(make.alice, [job], delay_seconds=1)
    edited = await store.edit(make.alice, job, {"priority": 1})

    assert {canceled.outcome, retried.outcome, moved.outcome, edited.outcome} == {"not_found"}


async def test_the_longest_days_of_a_definition_are_no_fault(store: Store, make: Factory, clock: Clock) -> None:
    await make.define(retention_days=2**31 - 1, retention_days_logs=2**31 - 1)
    await make.over("succeeded")
    clock.advance(3000 * DAY)

    assert await prune_jobs(store) == {}
    assert await store.drop_log_block() == 0
    assert (await store.prune_logs()).pruned == []


@pytest.mark.parametrize(
    "asked", [{"retention_days": -1}, {"retention_days": 36_501}, {"retention_count": -1}], ids=str
)
async def test_days_or_a_count_that_cannot_be_are_refused(store: Store, make: Factory, asked: dict[str, Any]) -> None:
    with pytest.raises(Invalid, match=next(iter(asked))):
        await store.prune_jobs(**asked)
