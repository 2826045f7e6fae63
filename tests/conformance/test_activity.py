"""activity, all_activity."""

from __future__ import annotations

from uuid import UUID, uuid4

from jobplane.core.model import Activity, NewWorker, Outcome, WorkerCounts
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import ENDS, STATES, Factory, ended

NOTHING = Activity(0, False, [], [], None)


async def test_an_empty_tenant_does_nothing(store: Store, make: Factory) -> None:
    assert await store.activity(make.alice) == NOTHING


async def test_each_job_is_shown_where_it_is(store: Store, make: Factory) -> None:
    made = {state: await make.in_state(state) for state in reversed(STATES)}

    now = await store.activity(make.alice)

    assert {job.id for job in now.ended_last} == {made[status] for status in ENDS}
    assert [job.id for job in now.running_longest] == [made["running"]]
    assert now.oldest is not None
    assert (now.oldest.id, now.oldest.status) == (made["ready"], "queued")
    assert (now.failed_last_hour, now.failed_is_capped, now.workers) == (2, False, None)


async def test_the_job_that_ended_last_is_the_first_of_ten(store: Store, make: Factory, clock: Clock) -> None:
    await make.jobs(12)
    leases = await make.claim(12)
    for lease in reversed(leases):
        clock.advance(1)
        await make.settle(lease, Outcome.SUCCEEDED)

    assert [job.id for job in (await store.activity(make.alice)).ended_last] == [each.job_id for each in leases[:10]]


async def test_the_job_that_runs_the_longest_is_the_first_of_ten(store: Store, make: Factory, clock: Clock) -> None:
    started: list[UUID] = []
    for _ in range(12):
        started.append((await make.lease()).job_id)
        clock.advance(1)

    assert [job.id for job in (await store.activity(make.alice)).running_longest] == started[:10]


async def test_the_oldest_job_that_could_run_is_of_any_lane(store: Store, make: Factory, clock: Clock) -> None:
    oldest = await make.job(priority=500)
    clock.advance(60)
    await make.job(priority=1)
    await make.job(delay_seconds=1)

    found = (await store.activity(make.alice)).oldest

    assert found is not None
    assert found.id == oldest


async def test_failures_count_for_an_hour(store: Store, make: Factory, clock: Clock) -> None:
    for outcome in (Outcome.FATAL, Outcome.FAILED, Outcome.SUCCEEDED):
        await make.settle(await make.lease(max_attempts=1), outcome)
    clock.advance(3599)
    assert (await store.activity(make.alice)).failed_last_hour == 2

    clock.advance(1)
    assert (await store.activity(make.alice)).failed_last_hour == 0


async def test_a_count_of_failures_that_stopped_says_so(store: Store, make: Factory) -> None:
    for _ in range(6):
        await make.jobs(1000, max_attempts=1)
        await store.settle([ended(lease, Outcome.FATAL) for lease in await make.claim(1000)])

    now = await store.activity(make.alice)

    assert (now.failed_last_hour, now.failed_is_capped) == (5000, True)


async def test_charlie_sees_nothing_of_alices(store: Store, make: Factory) -> None:
    for state in reversed(STATES):
        await make.in_state(state)

    assert await store.activity(make.charlie) == NOTHING
    assert await store.activity(uuid4()) == NOTHING


async def test_an_operator_sees_the_jobs_of_all_tenants(store: Store, make: Factory, clock: Clock) -> None:
    ended_, running, ready = list[UUID](), list[UUID](), list[UUID]()
    for tenant in (make.alice, make.charlie):
        lease = await make.lease(tenant=tenant)
        await make.settle(lease, Outcome.FATAL)
        ended_.append(lease.job_id)
        clock.advance(1)
    for tenant in (make.alice, make.charlie):
        running.append((await make.lease(tenant=tenant)).job_id)
        clock.advance(1)
    for tenant in (make.alice, make.charlie):
        ready.append(await make.job(tenant=tenant))
        clock.advance(1)

    now = await store.all_activity()

    assert [job.id for job in now.ended_last] == ended_[::-1]
    assert [job.id for job in now.running_longest] == running
    assert now.oldest is not None
    assert now.oldest.id == ready[0]
    assert (now.failed_last_hour, now.failed_is_capped) == (2, False)


async def test_an_operator_sees_how_busy_the_workers_are(store: Store, make: Factory, clock: Clock) -> None:
    await store.register_worker(NewWorker(worker_id="gone", queues=["default"], slots=50))
    clock.advance(61)
    for name, busy in (("one", 3), ("two", 1)):
        await store.register_worker(NewWorker(worker_id=name, queues=["default"], slots=4))
        await store.see_worker(name, busy)

    assert (await store.all_activity()).workers == WorkerCounts(live=2, stale=1, slots=8, busy=4)


async def test_an_installation_without_jobs_or_workers_does_nothing(store: Store, make: Factory) -> None:
    assert await store.all_activity() == Activity(0, False, [], [], None, WorkerCounts(0, 0, 0, 0))
