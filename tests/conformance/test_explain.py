from __future__ import annotations

from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from jobplane.core.errors import JobNotFound
from jobplane.core.explanation import Explanation, Gate
from jobplane.core.model import JobStatus, Outcome
from tests.client import Store
from tests.clock import START, Clock
from tests.conformance.backend import Audit
from tests.conformance.factory import STATES, WAITS, Factory

GATES = [
    *("not_due", "expired", "queue_paused", "tenant_paused", "definition_gone", "definition_inactive", "unbound"),
    *(
        "queue_not_served",
        "policy_mismatch",
        "no_worker",
        "tenant_limit",
        "definition_limit",
        "definition_tenant_limit",
    ),
]


async def served(store: Store, make: Factory) -> None:
    await make.worker("w1", "d", "off", queues=["default"])


def shut(explanation: Explanation) -> list[str]:
    return [gate.name for gate in explanation.shut]


def gate_of(explanation: Explanation, name: str) -> Gate:
    [gate] = [gate for gate in explanation.gates if gate.name == name]
    return gate


@pytest.mark.parametrize("state", WAITS)
async def test_a_waiting_job_is_explained_by_every_gate(store: Store, make: Factory, state: str) -> None:
    found = await store.explain(make.alice, await make.in_state(state))

    assert (found.status, [gate.name for gate in found.gates]) == (JobStatus.QUEUED, GATES)


async def test_a_job_that_may_run_says_its_place_in_the_lane(store: Store, make: Factory, clock: Clock) -> None:
    await served(store, make)
    await make.jobs(3)
    await make.job(tenant=make.charlie)
    job_id = await make.job()

    found = await store.explain(make.alice, job_id)

    assert (shut(found), found.jobs_before, found.lane_tenants) == ([], 3, 2)
    assert found.summary == (
        'The job may run now. In queue "default" with priority 100, 3 jobs of this tenant are before it, '
        "and 2 tenants share the lane."
    )


async def test_a_job_of_the_future_says_when_it_is_due(store: Store, make: Factory, clock: Clock) -> None:
    await served(store, make)
    job_id = await make.job(delay_seconds=45)

    found = await store.explain(make.alice, job_id)

    assert (shut(found), found.held_by, found.jobs_before) == (["not_due"], None, None)
    assert found.summary == "The job waits. The job is due in 45 s, at 12:00 UTC."
    assert gate_of(found, "not_due").evidence["seconds"] == 45


async def test_a_job_that_came_due_waits_for_the_upkeep_alone(store: Store, make: Factory, clock: Clock) -> None:
    await served(store, make)
    job_id = await make.job(delay_seconds=5)
    clock.advance(6)

    found = await store.explain(make.alice, job_id)

    assert shut(found) == []
    assert found.summary == "Nothing blocks the job now. The upkeep makes the job ready within seconds."


async def test_an_expired_job_is_canceled_soon(store: Store, make: Factory, clock: Clock) -> None:
    await served(store, make)
    job_id = await make.job(expires_at=START + timedelta(seconds=1))
    clock.advance(2)

    assert shut(await store.explain(make.alice, job_id)) == ["expired"]


async def test_a_paused_queue_says_since_when_by_whom_and_why(
    store: Store, make: Factory, clock: Clock, audit: Audit
) -> None:
    await served(store, make)
    job_id = await make.job()
    await store.pause_queues(["default"])
    audit.meddle("update jobplane.queues set paused_by = 'key:ops', paused_reason = 'deploy' where name = 'default'")
    clock.advance(30)

    found = await store.explain(make.alice, job_id)

    assert shut(found) == ["queue_paused"]
    assert found.summary == 'The job waits. Queue "default" is paused since 12:00 UTC by key:ops (deploy).'
    assert gate_of(found, "queue_paused").evidence == {
        "paused_at": START.isoformat(),
        "paused_by": "key:ops",
        "paused_reason": "deploy",
    }


async def test_a_paused_tenant_says_so(store: Store, make: Factory, clock: Clock, audit: Audit) -> None:
    await served(store, make)
    job_id = await make.job()
    await store.pause_tenants([make.alice])
    audit.meddle("update jobplane.tenants set paused_by = 'key:ops' where slug = 'alice'")

    found = await store.explain(make.alice, job_id)

    assert shut(found) == ["tenant_paused"]
    assert found.summary == "The job waits. The tenant is paused since 12:00 UTC by key:ops."


async def test_a_gate_that_has_opened_says_what_releases_the_job(
    store: Store, make: Factory, clock: Clock, audit: Audit
) -> None:
    await served(store, make)
    job_id = await make.held()
    audit.meddle("update jobplane.definitions set active = (1 = 1) where key = 'off'")

    found = await store.explain(make.alice, job_id)

    gate = gate_of(found, "definition_inactive")
    assert (found.held_by, gate.is_open) == ("definition_inactive", True)
    assert gate.detail == (
        'Definition "off" is active. It was closed when a worker last looked. '
        "The upkeep makes the job ready within seconds."
    )


async def test_a_definition_that_is_gone_is_named(store: Store, make: Factory, audit: Audit) -> None:
    await served(store, make)
    job_id = await make.job()
    audit.meddle("delete from jobplane.definitions where key = 'd'")

    found = await store.explain(make.alice, job_id)

    assert shut(found)[0] == "definition_gone"
    assert found.summary.startswith('The job waits. There is no definition "d". Create it again, or cancel the job.')


async def test_an_unbound_definition_is_named(store: Store, make: Factory) -> None:
    await served(store, make)
    await store.put_definitions([{"key": "later"}])
    job_id = await make.job(definition="later")

    assert shut(await store.explain(make.alice, job_id)) == ["unbound", "no_worker"]

    await make.worker("w2", "later")
    assert shut(await store.explain(make.alice, job_id)) == []


async def test_a_queue_without_a_worker_says_who_was_there_last(store: Store, make: Factory, clock: Clock) -> None:
    await served(store, make)
    job_id = await make.job()
    clock.advance(61)

    found = await store.explain(make.alice, job_id)

    assert shut(found) == ["queue_not_served", "no_worker"]
    assert gate_of(found, "no_worker").detail == (
        'No live worker runs definition "d" in queue "default". The last one was w1, seen at 12:00 UTC.'
    )


async def test_a_definition_that_no_worker_of_the_queue_knows_is_told_apart(store: Store, make: Factory) -> None:
    await store.put_queues(["mail"])
    await make.worker("knows", "d", queues=["mail"])
    await make.worker("serves", "other", queues=["default"])
    job_id = await make.job()

    found = await store.explain(make.alice, job_id)

    assert shut(found) == ["no_worker"]
    assert gate_of(found, "queue_not_served").is_open


async def test_a_full_tenant_names_its_jobs(store: Store, make: Factory) -> None:
    await served(store, make)
    await store.set_tenant(make.alice, {"max_in_flight": 1})
    lease = await make.lease()
    job_id = await make.job()

    found = await store.explain(make.alice, job_id)

    gate = gate_of(found, "tenant_limit")
    assert shut(found) == ["tenant_limit"]
    assert gate.detail == "1 of 1 slots of the tenant are in use."
    assert gate.evidence == {"limit": 1, "used": 1, "jobs": [str(lease.job_id)], "others": 0}


async def test_a_full_definition_counts_other_tenants_and_names_none_of_their_jobs(store: Store, make: Factory) -> None:
    await served(store, make)
    await make.define("d", max_running=2)
    mine, theirs = await make.lease(), await make.lease(tenant=make.charlie)
    job_id = await make.job()

    found = await store.explain(make.alice, job_id)

    gate = gate_of(found, "definition_limit")
    assert shut(found) == ["definition_limit"]
    assert gate.detail == '2 of 2 slots of definition "d" are in use, 1 of them by other tenants.'
    assert gate.evidence == {"limit": 2, "used": 2, "jobs": [str(mine.job_id)], "others": 1}
    assert str(theirs.job_id) not in repr(found)
    assert str(make.charlie) not in repr(found)


async def test_a_limit_for_each_tenant_counts_that_tenant(store: Store, make: Factory) -> None:
    await served(store, make)
    await make.define("d", max_running_per_tenant=1)
    lease = await make.lease()
    mine, theirs = await make.job(), await make.job(tenant=make.charlie)

    found = await store.explain(make.alice, mine)

    assert shut(found) == ["definition_tenant_limit"]
    assert gate_of(found, "definition_tenant_limit").evidence["jobs"] == [str(lease.job_id)]
    assert shut(await store.explain(make.charlie, theirs)) == []


async def test_ten_ids_are_named_at_most(store: Store, make: Factory) -> None:
    await served(store, make)
    await make.define("d", max_running=12)
    await make.jobs(12)
    await make.claim(12)

    evidence = gate_of(await store.explain(make.alice, await make.job()), "definition_limit").evidence

    assert (evidence["used"], evidence["others"]) == (12, 0)
    assert isinstance(evidence["jobs"], list)
    assert len(evidence["jobs"]) == 10


async def test_several_shut_gates_are_all_named(store: Store, make: Factory) -> None:
    await served(store, make)
    job_id = await make.job(delay_seconds=60)
    await store.pause_queues(["default"])
    await store.pause_tenants([make.alice])

    found = await store.explain(make.alice, job_id)

    assert shut(found) == ["not_due", "queue_paused", "tenant_paused"]
    assert found.summary.endswith("Also closed: queue_paused, tenant_paused.")


async def test_a_running_job_says_where_it_runs(store: Store, make: Factory, clock: Clock) -> None:
    await make.worker("w1", "d")
    lease = await make.lease()
    await store.renew([lease], progress=[0.4])

    found = await store.explain(make.alice, lease.job_id)

    assert (found.status, found.gates) == (JobStatus.RUNNING, [])
    assert (found.worker_id, found.hostname, found.started_at, found.attempt_no) == ("w1", "", START, 1)
    assert found.lease_expires_at is not None
    assert found.progress == pytest.approx(0.4)
    assert found.summary == "Attempt 1 runs since 12:00 UTC, in worker w1. Progress: 40%."


async def test_an_ended_job_says_why(store: Store, make: Factory, clock: Clock) -> None:
    lease = await make.lease(max_attempts=1)
    await make.settle(lease, Outcome.FAILED, error="ValueError: no such folder\n  at line 3")

    found = await store.explain(make.alice, lease.job_id)

    assert (found.status, found.gates, found.finished_at) == (JobStatus.DEAD_LETTER, [], START)
    assert found.error == "ValueError: no such folder\n  at line 3"
    assert found.summary.startswith("The job ended as dead_letter at 12:00 UTC after attempt 1")


async def test_a_canceled_job_that_never_ran_says_so(store: Store, make: Factory, clock: Clock) -> None:
    job_id = await make.job()
    await store.cancel(make.alice, [job_id], reason="not needed")

    assert (await store.explain(make.alice, job_id)).summary == (
        "The job ended as canceled at 12:00 UTC without an attempt: not needed."
    )


async def test_charlie_is_told_of_no_job_of_alices(store: Store, make: Factory) -> None:
    ids: list[UUID] = [await make.in_state(state) for state in reversed(STATES)]

    for job_id in (*ids, uuid4()):
        with pytest.raises(JobNotFound):
            await store.explain(make.charlie, job_id)
