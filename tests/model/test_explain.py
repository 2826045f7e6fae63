"""A job that no gate shuts is claimed, and one that a gate shuts is not: `explain` and `claim` have the same gates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobplane.core.explanation import Explanation
from jobplane.core.model import JobFilter, JobStatus, NewJob, NewWorker
from tests.client import BlockingStore
from tests.database import Cluster
from tests.model import stores
from tests.model.draws import queues
from tests.model.search import SHORT
from tests.model.world import World

EXAMPLES: Final = {"postgresql": 25, "sqlite": 100}
ROUNDS: Final = 8  # a sweep lets back as many as a limit has room for, and some of those another gate may hold
LIMITS: Final = {"tenant_limit", "definition_limit", "definition_tenant_limit"}
Step = Callable[[World], object]
# Often the same, so that jobs and gates meet.
tenants: Final = st.sampled_from([0, 0, 0, 1])
definitions: Final = st.sampled_from(["mail", "mail", "mail", "sync", "report", "script"])


@st.composite
def jobs(draw: st.DrawFn) -> Step:
    tenant, key, queue = draw(tenants), draw(definitions), draw(st.none() | queues)
    delay, expires_in = draw(st.sampled_from([None, None, None, 20.0])), draw(st.sampled_from([None, None, None, 5.0]))
    priority, number = draw(st.none() | st.sampled_from([0, 500])), draw(st.integers(1, 3))

    def enqueue(world: World) -> object:
        row = NewJob(definition=key, queue=queue, delay_seconds=delay, priority=priority)
        return world.store.enqueue(world.tenants[tenant], [world.dated(row, expires_in)] * number)

    return enqueue


@st.composite
def gates(draw: st.DrawFn) -> Step:
    """What an operator sets."""
    tenant, key, queue, limit = draw(tenants), draw(definitions), draw(queues), draw(st.integers(0, 3))
    name = draw(st.sampled_from(["max_running", "max_running_per_tenant"]))
    steps: tuple[Step, ...] = (
        lambda world: world.store.pause_tenants([world.tenants[tenant]]),
        lambda world: world.store.resume_tenants([world.tenants[tenant]]),
        lambda world: world.store.pause_queues([queue]),
        lambda world: world.store.set_tenant(world.tenants[tenant], {"max_in_flight": limit}),
        lambda world: world.store.set_tenant(world.tenants[tenant], {"max_in_flight": limit}),
        lambda world: world.store.put_definitions([{"key": key, name: limit}]),
        lambda world: world.store.put_definitions([{"key": key, name: limit}]),
        lambda world: world.store.put_definitions([{"key": key, "active": False}]),
        lambda world: world.store.put_definitions([{"key": key, "active": True}]),
        lambda world: world.store.put_definitions([{"key": "script", "command": {"executable": "/bin/false"}}]),
    )
    return draw(st.sampled_from(steps))


@st.composite
def workers(draw: st.DrawFn) -> Step:
    name, served = draw(st.sampled_from(["w1", "w2"])), sorted(draw(st.sets(queues, min_size=1)))
    known = draw(st.sampled_from([None, ["mail", "sync", "report"], ["sync"], ["mail"], ["mail", "script"]]))
    mismatched = draw(st.sampled_from([[], ["script"]]))
    worker = NewWorker(worker_id=name, queues=served, definitions=known, commands=known or (), mismatched=mismatched)
    return lambda world: world.store.register_worker(worker)


@st.composite
def claims(draw: st.DrawFn) -> Step:
    queue, limit, seconds = draw(queues), draw(st.integers(1, 3)), draw(st.sampled_from([0, 0, 0, 6, 25, 61]))

    def claim(world: World) -> object:
        world.advance(seconds)
        return world.store.claim(queue, "w1", limit=limit, lease_seconds=3600)

    return claim


@st.composite
def histories(draw: st.DrawFn) -> list[Step]:
    """Workers come, jobs and gates mix, and some jobs run already when the others are explained."""
    first = draw(st.lists(workers(), min_size=1, max_size=2))
    mixed = [*draw(st.lists(jobs(), min_size=2, max_size=5)), *draw(st.lists(gates(), max_size=3))]
    return [
        *first,
        *draw(st.permutations(mixed)),
        *draw(st.lists(claims(), max_size=2)),
        *draw(st.lists(gates(), max_size=1)),
    ]


@pytest.mark.parametrize("name", stores.NAMES)
def test_a_job_runs_exactly_if_no_gate_is_shut(cluster: Cluster, name: str) -> None:
    with stores.opened(name, cluster) as fresh:

        @settings(SHORT, max_examples=EXAMPLES[name])
        @given(histories())
        def holds(history: Sequence[Step]) -> None:
            with fresh() as world:
                for step in history:
                    step(world)
                _judge(world)

        holds()


def _judge(world: World) -> None:
    _keep_up(world.store)
    before = _explained(world)
    taken = {job_id for _ in range(ROUNDS) for job_id in _claimed(world.store)}
    after = _explained(world)

    shut = {job_id for job_id, explanation in before.items() if explanation.shut}
    assert taken & shut == set()
    for job_id in before.keys() - shut - taken:  # the jobs before it have filled a limit
        assert {gate.name for gate in after[job_id].shut} & LIMITS, before[job_id]


def _keep_up(store: BlockingStore) -> None:
    store.promote()
    store.sweep()
    store.tick(full=True)


def _explained(world: World) -> dict[UUID, Explanation]:
    waiting = JobFilter(statuses=[JobStatus.QUEUED])
    return {
        job.id: world.store.explain(tenant, job.id)
        for tenant in world.tenants
        for job in world.store.list_jobs(tenant, waiting, limit=1000).items
    }


def _claimed(store: BlockingStore) -> set[UUID]:
    """What the live workers get that serve each queue; a claim that has more to look at is repeated."""
    _keep_up(store)
    found: set[UUID] = set()
    for worker in store.workers():
        for queue in worker.queues if worker.live else ():
            while True:
                claimed = store.claim(queue, worker.worker_id, limit=1000, lease_seconds=3600)
                found |= {lease.job_id for lease in claimed.leases}
                if not claimed.more:
                    break
    return found
