"""The two managers are one: the same methods, the same parameters, with and without an event loop."""

from __future__ import annotations

import asyncio
import inspect
import sys

import pytest

from jobplane.api.manager import AsyncJobManager, JobManager
from jobplane.control.immediate import finish
from jobplane.core.errors import Invalid
from jobplane.core.model import DEFAULT_TENANT
from tests.client import BlockingStore
from tests.manager.hand import EXPORT

METHODS = sorted(name for name in vars(JobManager) if not name.startswith("_"))


def test_the_manager_has_the_methods_that_its_users_know() -> None:
    assert METHODS == [
        "acquire_next_job",
        "cancel_job",
        "close",
        "complete_job",
        "connect",
        "create_job",
        "fail_job",
        "get_job",
        "get_job_by_uuid",
        "list_jobs",
        "renew_job_lease",
        "schedule_job",
    ]


@pytest.mark.parametrize("method", METHODS)
def test_a_method_shows_what_it_takes_and_does(method: str) -> None:
    one, other = getattr(JobManager, method), getattr(AsyncJobManager, method)

    assert inspect.signature(one) == inspect.signature(other)
    assert inspect.getdoc(one) == inspect.getdoc(other)


def test_a_manager_opens_and_closes_the_store_of_a_url() -> None:
    with JobManager.connect("sqlite:///:memory:", max_lease_seconds=60) as jm:
        assert jm.create_job(**EXPORT)["status"] == "queued"
    with pytest.raises(Invalid, match="max_lease_seconds"):
        JobManager.connect("sqlite:///:memory:", max_lease_seconds=1)


async def test_an_asynchronous_manager_does_too() -> None:
    async with await AsyncJobManager.connect("sqlite:///:memory:") as jm:
        assert (await jm.create_job(**EXPORT))["status"] == "queued"


def test_a_manager_takes_the_sqlite_that_the_process_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "apsw", None)

    with JobManager.connect("sqlite:///:memory:", sqlite="stdlib") as jm:
        assert jm.create_job(**EXPORT)["status"] == "queued"


async def test_an_asynchronous_manager_takes_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "apsw", None)

    async with await AsyncJobManager.connect("sqlite:///:memory:", sqlite="stdlib") as jm:
        assert (await jm.create_job(**EXPORT))["status"] == "queued"


def test_a_store_that_was_given_is_left_open(blocking: BlockingStore) -> None:
    with JobManager(blocking) as jm:
        job = jm.create_job(**EXPORT)

    assert [found.id for found in blocking.get_jobs(DEFAULT_TENANT, [job["id"]])] == [job["id"]]


def test_a_step_that_waits_for_an_event_loop_is_a_fault() -> None:
    with pytest.raises(RuntimeError, match="has waited"):
        finish(asyncio.sleep(0))
