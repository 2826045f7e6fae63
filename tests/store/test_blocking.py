"""The blocking store runs the same verbs as the asynchronous one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from jobplane.core.errors import JobNotFound
from jobplane.core.model import DEFAULT_TENANT, JobFilter, NewJob, NewWorker, Outcome
from tests.client import BlockingPostgresStore
from tests.leases import settlement


def test_the_life_of_a_job_without_an_event_loop(blocking: BlockingPostgresStore) -> None:
    blocking.put_definitions([{"key": "report", "kind": "python"}])
    blocking.register_worker(NewWorker(worker_id="w1", queues=["default"]))
    [enqueued] = blocking.enqueue(DEFAULT_TENANT, [NewJob(definition="report", payload={"n": 1}, max_attempts=1)])
    assert enqueued.job_id

    [lease] = blocking.claim("default", "w1").leases
    assert [answer.answer for answer in blocking.renew([lease], progress=[0.5])] == ["renewed"]
    [settled] = blocking.settle([settlement(lease=lease, outcome=Outcome.FAILED, error="boom")])
    assert (settled.accepted, settled.status) == (True, "dead_letter")
    [moved] = blocking.retry(DEFAULT_TENANT, [enqueued.job_id])
    assert moved.status == "queued"
    blocking.promote()
    [again] = blocking.claim("default", "w1").leases
    blocking.settle([settlement(lease=again, outcome=Outcome.SUCCEEDED, result=[1, "ü"])])

    assert (again.job_id, again.attempt_no) == (enqueued.job_id, 2)
    assert blocking.result(DEFAULT_TENANT, enqueued.job_id) == [1, "ü"]
    assert [attempt.status for attempt in blocking.attempts(DEFAULT_TENANT, enqueued.job_id)] == ["succeeded", "failed"]
    assert blocking.summary(DEFAULT_TENANT).succeeded == 1
    blocking.vacuum()


def test_an_error_has_the_same_type(blocking: BlockingPostgresStore) -> None:
    tenant = blocking.create_tenant("charlie").tenant_id

    with pytest.raises(JobNotFound):
        blocking.result(tenant, DEFAULT_TENANT)


def test_threads_share_one_store(blocking: BlockingPostgresStore) -> None:
    """More of them than it may have connections, and none has used it before."""

    def enqueue(_: int) -> str:
        return blocking.enqueue(DEFAULT_TENANT, [NewJob(definition="report")])[0].outcome

    blocking.put_definitions([{"key": "report", "kind": "python"}])
    with ThreadPoolExecutor(16) as threads:
        outcomes = list(threads.map(enqueue, range(64)))

    assert outcomes == ["created"] * 64
    assert len(blocking.list_jobs(DEFAULT_TENANT, JobFilter(), limit=100).items) == 64


def test_a_closed_store_opens_again(blocking: BlockingPostgresStore) -> None:
    before = blocking.tenants()
    blocking.close()
    blocking.close()

    assert blocking.tenants() == before
