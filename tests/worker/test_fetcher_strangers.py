"""A worker beside another one, whose jobs it cannot run, in the same queue."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import pytest

from jobplane import JobStatus
from jobplane.core.model import DEFAULT_TENANT, NewWorker
from tests.client import BlockingStore
from tests.leases import Held
from tests.worker.stage import Line, Stage, Worker, until


@dataclass
class Other:
    """The worker of `strange`, by hand."""

    store: BlockingStore

    def claim(self) -> list[Held]:
        return self.store.claim("default", "other").leases

    def forget(self, worker: Worker) -> None:
        """Right after its sign of life, so that it does not find out by itself for some seconds."""
        worker_id = worker.until("worker_started")["worker_id"]
        until(lambda: any(w.worker_id == worker_id and w.last_seen_at > w.started_at for w in self.store.workers()))
        assert self.store.deregister_worker(worker_id)


@pytest.fixture
def other(any_store: BlockingStore) -> Other:
    any_store.put_queues(["default"])
    any_store.put_definitions([{"key": "strange", "kind": "python", "max_attempts": 1}])
    any_store.register_worker(NewWorker(worker_id="other", queues=["default"], definitions=["strange"]))
    return Other(any_store)


@pytest.mark.usefixtures("other")
def test_who_finds_only_jobs_of_others_looks_less_and_less_often(any_stage: Stage) -> None:
    for _ in range(50):
        any_stage.enqueue("strange")

    worker = any_stage.started(log_level="debug", worker_concurrency="1", worker_prefetch="0")
    until(lambda: len(looks(worker)) >= 8)

    assert (looks(worker)[7] - looks(worker)[0]).total_seconds() > 1
    urgent = any_stage.jp.enqueue("nothing", priority=1)
    assert any_stage.ended(urgent).status is JobStatus.SUCCEEDED


def test_jobs_that_nobody_may_run_now_are_out_of_the_way_at_once(any_stage: Stage, other: Other) -> None:
    for _ in range(300):
        any_stage.enqueue("strange")
    other.store.put_definitions([{"key": "strange", "active": False}])
    other.store.deregister_worker("other")

    worker = any_stage.started(log_level="debug", worker_concurrency="1", worker_prefetch="0")

    assert any_stage.ended(any_stage.enqueue("nothing")).status is JobStatus.SUCCEEDED
    found = next(line for line in worker.lines("claimed") if line["jobs"])
    assert (moment(found) - looks(worker)[0]).total_seconds() < 10, "thirty looks, and a rest after none of them"


def looks(worker: Worker) -> list[datetime]:
    claims = [line for line in worker.lines("claimed") if line["queue"] == "default"]
    return [moment(line) for line in claims]


def moment(line: Line) -> datetime:
    return datetime.fromisoformat(line["timestamp"])


def test_a_job_that_a_forgotten_worker_claimed_goes_back_unspent(any_stage: Stage, other: Other) -> None:
    worker = any_stage.started(poll_seconds="0.1")
    other.forget(worker)

    job = any_stage.enqueue("strange")
    worker.until("registered_again")
    claimed: list[Held] = []
    until(lambda: claimed.extend(other.claim()) or claimed)

    [lease] = claimed
    assert (lease.job_id, lease.attempt_no, lease.attempts_left) == (job.id, 2, 0)
    first = other.store.attempts(DEFAULT_TENANT, job.id)[-1]
    assert (first.outcome, first.reason) == ("released", "unstarted")
    own = any_stage.enqueue("nothing")
    assert any_stage.ended(own).status is JobStatus.SUCCEEDED
