"""A worker that listens does not wait for its next look, nor for its next renewal."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from jobplane import JobStatus
from tests.worker.shared import Shared, sharing
from tests.worker.stage import Stage, until


@pytest.fixture(scope="module")
def shared(request: pytest.FixtureRequest) -> Generator[Shared]:
    """It looks for jobs once a minute, and renews every twenty minutes."""
    with sharing(request) as shared:
        shared.start(poll_seconds="60", lease_seconds="3600")
        yield shared


@pytest.fixture
def stage(shared: Shared) -> Stage:
    """When the worker is idle."""
    until(lambda: shared.db.peek("select 1 from jobplane.queues where wanted_until > jobplane.clock()"))
    return shared.visit()


def test_a_notification_wakes_an_idle_worker_long_before_its_next_look(stage: Stage) -> None:
    job = stage.enqueue("nothing")

    assert stage.ended(job, 30).status is JobStatus.SUCCEEDED


def test_a_cancel_is_heard_at_once_by_who_listens(stage: Stage) -> None:
    job = stage.enqueue("rest", seconds=600)
    until(lambda: stage.jp.get(job).progress == 0.5)  # from here on it has nothing to say

    stage.jp.cancel(job)

    assert stage.ended(job).status is JobStatus.CANCELED
