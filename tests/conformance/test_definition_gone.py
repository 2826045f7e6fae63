"""A waiting job whose definition is gone is held; the job's key decides which definition it belongs to."""

from __future__ import annotations

from uuid import UUID

import pytest

from jobplane.core.model import Definition, Job, JobFilter, JobStatus, Outcome
from tests.client import Store, WorkerStore
from tests.clock import Clock
from tests.conformance.backend import Audit
from tests.conformance.factory import Factory
from tests.leases import Held

GONE = "definition_gone"
# Who claims: one that was never registered and runs any, one registered before the definition went, one after.
CLAIMERS = ("anyone", "before", "after")


def delete(audit: Audit, key: str) -> None:
    audit.meddle(f"delete from jobplane.definitions where key = '{key}'")


def bind(audit: Audit, state: str, definition: Definition) -> None:
    """Let rows of a state's table name a definition that is not that of their key."""
    audit.meddle(f"update jobplane.{state} set definition_id = {definition.definition_id}")


def leased_ids(audit: Audit, seq: int | None = None) -> set[int]:
    """The definitions of all leases, or of one."""
    where = "" if seq is None else f" where seq = {seq}"
    return {row[0] for row in audit.look(f"select definition_id from jobplane.leases{where}")}


async def gone(make: Factory, audit: Audit, n: int, claimer: str = "after") -> list[UUID]:
    """Jobs of a definition, `lost`, which is then deleted."""
    await make.define("lost")
    ids = await make.jobs(n, definition="lost")
    if claimer == "before":
        await make.worker("before", "d", "lost")
    delete(audit, "lost")
    if claimer == "after":
        await make.worker("after", "d", "lost")
    return ids


async def held_by(make: Factory, ids: list[UUID]) -> set[str | None]:
    return {(await make.get(job_id)).held_by for job_id in ids}


async def rounds(make: Factory, worker: str, n: int = 6) -> list[Held]:
    """What a worker that gives back what it does not know is left with after some rounds of upkeep and claim."""
    kept: list[Held] = []
    for _ in range(n):
        await make.store.promote()
        await make.store.sweep()
        leases = await make.claim(10, worker=worker)
        strangers = [lease for lease in leases if lease.definition_key == "lost"]
        await make.store.release(strangers, reason="unstarted")
        kept += [lease for lease in leases if lease not in strangers]
    return kept


@pytest.mark.parametrize("claimer", CLAIMERS)
async def test_jobs_of_a_definition_that_is_gone_are_held_and_those_behind_them_run(
    make: Factory, audit: Audit, claimer: str
) -> None:
    lost = await gone(make, audit, 3, claimer)
    good = await make.jobs(3)

    claimed = await make.claim_ids(3, worker=claimer) + await make.claim_ids(3, worker=claimer)

    assert sorted(claimed) == sorted(good)
    assert await held_by(make, lost) == {GONE}


@pytest.mark.parametrize("claimer", CLAIMERS)
async def test_a_worker_that_takes_lines_holds_them_too(
    make: Factory, worker_store: WorkerStore, audit: Audit, claimer: str
) -> None:
    lost = await gone(make, audit, 3, claimer)
    await make.jobs(3)

    taken = [await worker_store.claim_encoded("default", claimer, limit=3, lease_seconds=30) for _ in range(2)]

    assert sum(len(each.leases) for each in taken) == 3
    assert await held_by(make, lost) == {GONE}


async def test_a_claim_that_met_too_many_of_them_asks_to_be_repeated(store: Store, make: Factory, audit: Audit) -> None:
    await gone(make, audit, 25)
    last = await make.job()

    looks = [await store.claim("default", "after", limit=1) for _ in range(3)]

    assert [look.more for look in looks] == [True, True, False]
    assert [lease.job_id for lease in looks[2].leases] == [last]


@pytest.mark.parametrize("claimer", CLAIMERS)
async def test_the_sweep_brings_them_back_when_a_definition_of_their_key_exists(
    store: Store, make: Factory, audit: Audit, claimer: str
) -> None:
    lost = await gone(make, audit, 3, claimer)
    await make.claim(10, worker=claimer)
    assert await store.sweep() == 0

    again = await make.define("lost")

    assert await store.sweep() == 3
    leases = await make.claim(10, worker=claimer)
    assert sorted(lease.job_id for lease in leases) == sorted(lost)
    assert leased_ids(audit) == {again.definition_id}
    assert await store.sweep() == 0


@pytest.mark.parametrize("claimer", CLAIMERS)
async def test_a_definition_that_was_made_again_under_another_id_keeps_its_jobs(
    store: Store, make: Factory, audit: Audit, claimer: str
) -> None:
    lost = await gone(make, audit, 3, claimer)
    again = await make.define("lost", max_running=2)

    first = await store.claim("default", claimer, limit=10)
    assert (first.leases, first.more) == ([], True)
    leases = await make.claim(10, worker=claimer)

    assert leased_ids(audit) == {again.definition_id}
    assert len(leases) == 2  # the limits are those of the definition that is there now
    assert sorted(await held_by(make, lost), key=str) == [None, "definition_limit"]


async def test_the_sweep_moves_no_more_of_them_than_its_limit(store: Store, make: Factory, audit: Audit) -> None:
    await gone(make, audit, 5)
    await make.claim(10, worker="after")
    await make.define("lost")

    assert [await store.sweep(limit=3), await store.sweep(limit=3)] == [3, 2]


async def test_people_see_it_and_can_cancel_edit_and_put_it_off(store: Store, make: Factory, audit: Audit) -> None:
    first, second, third = await gone(make, audit, 3)
    await make.claim(10, worker="after")

    [canceled] = await store.cancel(make.alice, [first])
    edited = await store.edit(make.alice, second, {"priority": 5})
    [later] = await store.reschedule(make.alice, [third], delay_seconds=0)

    page = await store.list_jobs(make.alice, JobFilter(statuses=[JobStatus.QUEUED], definitions=["lost"]))
    assert (canceled.outcome, edited.outcome, later.outcome) == ("canceled", "queued", "queued")
    assert {job.id for job in page.items} == {second, third}
    await store.promote()
    assert await make.claim(10, worker="after") == []
    assert await held_by(make, [second, third]) == {GONE}
    assert (await store.summary(make.alice)).held == 2


async def test_a_job_that_comes_due_after_its_definition_went_is_held(
    store: Store, make: Factory, audit: Audit, clock: Clock
) -> None:
    await make.define("lost")
    job_id = await make.job(definition="lost", delay_seconds=60)
    delete(audit, "lost")
    clock.advance(60)

    assert await store.promote() == 1
    assert await make.claim(10) == []
    assert await held_by(make, [job_id]) == {GONE}


@pytest.mark.parametrize("end", ["fail", "release", "reap", "retry"])
async def test_a_job_that_comes_back_after_its_definition_went_is_held(
    store: Store, worker_store: WorkerStore, make: Factory, audit: Audit, clock: Clock, end: str
) -> None:
    await make.define("lost", max_attempts=2, backoff={"base": 0})
    lease = await make.lease(definition="lost")
    delete(audit, "lost")
    if end == "release":
        await store.release([lease])
    elif end == "fail":
        await make.settle(lease, Outcome.FAILED)
    elif end == "retry":
        await make.settle(lease, Outcome.FATAL)
        [moved] = await store.retry(make.alice, [lease.job_id])
        assert moved.outcome == "queued"
    else:
        clock.advance(31)
        assert [reaped.definition_key for reaped in await worker_store.reap_all()] == ["lost"]
    clock.advance(1)

    await store.promote()
    assert await make.claim(10) == []
    assert await held_by(make, [lease.job_id]) == {GONE}

    again = await make.define("lost")
    await store.sweep()
    [second] = await make.claim(10)
    assert (second.job_id, leased_ids(audit)) == (lease.job_id, {again.definition_id})


@pytest.mark.parametrize("end", ["fail", "retry"])
async def test_what_comes_back_gets_the_id_that_its_key_has_now(
    store: Store, make: Factory, audit: Audit, clock: Clock, end: str
) -> None:
    await make.define("lost", max_attempts=2, backoff={"base": 0})
    lease = await make.lease(definition="lost")
    delete(audit, "lost")
    again = await make.define("lost")
    await make.settle(lease, Outcome.FAILED if end == "fail" else Outcome.FATAL)
    if end == "retry":
        await store.retry(make.alice, [lease.job_id])

    second = await make.again()

    assert (second.job_id, leased_ids(audit)) == (lease.job_id, {again.definition_id})


async def test_the_definition_of_its_key_says_whether_a_job_may_be_retried(make: Factory, audit: Audit) -> None:
    await make.define("lost")
    job_id = await make.over("failed", definition="lost")
    delete(audit, "lost")
    await make.define("lost", active=False)

    [moved] = await make.store.retry(make.alice, [job_id])

    assert moved.outcome == "definition_inactive"


@pytest.mark.parametrize("gate", ["definition_limit", "definition_inactive", "no_worker"])
async def test_what_another_gate_held_is_held_as_gone_when_its_definition_went(
    store: Store, make: Factory, audit: Audit, gate: str
) -> None:
    await make.define("lost", max_running=0 if gate == "definition_limit" else None)
    job_id = await make.job(definition="lost")
    await make.define("lost", active=gate != "definition_inactive")
    await make.worker("after", *["d", "lost"][: 1 if gate == "no_worker" else 2])
    await make.claim(10, worker="after")
    assert await held_by(make, [job_id]) == {gate}
    delete(audit, "lost")

    for _ in range(3):
        await store.sweep()
        assert await make.claim(10, worker="after") == []

    assert await held_by(make, [job_id]) == {GONE}
    assert await store.sweep() == 0


@pytest.mark.parametrize("gate", ["tenant_paused", "expired"])
async def test_gone_comes_after_the_gates_of_the_tenant_and_the_clock(
    store: Store, make: Factory, audit: Audit, clock: Clock, gate: str
) -> None:
    await make.define("lost")
    at = (await make.get(await make.job(delay_seconds=10))).scheduled_for
    job_id = await make.job(definition="lost", expires_at=at)
    delete(audit, "lost")
    if gate == "tenant_paused":
        await store.pause_tenants([make.alice])
    else:
        clock.advance(20)

    assert await make.claim(10) == []
    assert (await make.get(job_id)).held_by == (gate if gate == "tenant_paused" else None)
    clock.advance(20)
    assert await store.expire() == 1


@pytest.mark.parametrize("state", ["ready", "upcoming"])
@pytest.mark.parametrize("exists", [True, False])
async def test_where_key_and_id_disagree_a_worker_of_the_id_is_left_alone(
    make: Factory, audit: Audit, state: str, exists: bool
) -> None:
    await make.define("lost")
    other = await make.define("other")
    job_id = await make.job(definition="lost", delay_seconds=0 if state == "ready" else 3600)
    bind(audit, state, other)
    if state == "upcoming":
        await make.store.reschedule(make.alice, [job_id], delay_seconds=0)
    if not exists:
        delete(audit, "lost")
    await make.worker("theirs", "other")
    good = await make.job(definition="other")

    kept = await rounds(make, "theirs")

    assert [lease.job_id for lease in kept] == [good]
    job = await make.get(job_id)
    assert (job.held_by, job.attempts) == ("no_worker" if exists else GONE, 0)
    assert job.attempt_no <= 1  # it was given back once at most

    await make.define("lost")
    await make.worker("ours", "lost")
    await make.store.sweep()
    [lease] = await make.claim(10, worker="ours")
    assert (lease.job_id, lease.definition_key) == (job_id, "lost")
    assert leased_ids(audit, lease.seq).isdisjoint({other.definition_id, 0})


@pytest.mark.parametrize("claimer", ["anyone", "both", "ours"])
async def test_where_key_and_id_disagree_the_job_runs_as_what_its_key_says(
    make: Factory, audit: Audit, claimer: str
) -> None:
    await make.define("lost")
    other = await make.define("other")
    job_id = await make.job(definition="lost")
    bind(audit, "ready", other)
    if claimer != "anyone":
        await make.worker(claimer, *["lost", "other"][: 2 if claimer == "both" else 1])

    leases = await make.claim(10, worker=claimer) + await make.claim(10, worker=claimer)

    assert [(lease.job_id, lease.definition_key) for lease in leases] == [(job_id, "lost")]


async def test_charlie_sees_nothing_of_it_and_cannot_cancel_it(store: Store, make: Factory, audit: Audit) -> None:
    [job_id] = await gone(make, audit, 1)
    await make.claim(10, worker="after")

    [moved] = await store.cancel(make.charlie, [job_id])

    assert moved.outcome == "not_found"
    assert await jobs_of(store, make.charlie) == []


async def jobs_of(store: Store, tenant: UUID) -> list[Job]:
    return (await store.list_jobs(tenant, JobFilter())).items
