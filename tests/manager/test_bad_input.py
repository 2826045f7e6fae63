from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from jobplane.api.manager import AsyncJobManager, JobManager
from jobplane.core.errors import Invalid, InvalidPayload
from tests.client import BlockingStore, Store
from tests.manager.hand import EXPORT, Desk

WRONG: dict[str, list[Any]] = {
    "domain": ["", "Chatbooks", "a.b", "-a", "a b", 5, None, "x" * 100, "naïve"],
    "queue": ["", "a.b", "default-", "ü", None],
    "job_type": ["", ".export", "ex port", None, "x" * 200],
    "payload": ["text", None, [1], 7],
    "owner_user_id": ["", 1.5, True, ["u1"], "x" * 501],
    "project_id": ["7", 1.5, True, 2**63],
    "priority": [-1, 1001, "5", 5.0, True, None],
    "max_retries": [-1, 1000, "3", None],
    "idempotency_key": ["", "x" * 501, 7],
    "dedupe_key": ["", "x" * 501, "nul\x00"],
}
NO_LEASE: list[Any] = [0, -1, "60", 60.5, True, None]
NO_NAME: list[Any] = ["", "x" * 201, None, 7]
NO_ID: list[Any] = ["", "17", 17, None, b"x"]
NO_LIMIT: list[Any] = [0, -1, "5", None]


@pytest.mark.parametrize("argument", WRONG)
async def test_a_job_with_a_wrong_argument_is_refused(desk: Desk, argument: str) -> None:
    for value in WRONG[argument]:
        asked: dict[str, Any] = {**EXPORT, argument: value}
        with pytest.raises(Invalid) as refused:
            await desk.jm.create_job(**asked)
        assert refused.type is (InvalidPayload if argument == "payload" else Invalid), value

    assert await desk.jm.list_jobs() == []


async def test_a_time_without_a_zone_is_refused(desk: Desk) -> None:
    for at in (datetime(2026, 1, 1), "2026-01-01T00:00:00Z"):  # noqa: DTZ001 that is the mistake
        asked: dict[str, Any] = {**EXPORT, "available_at": at}
        with pytest.raises(Invalid, match="available_at must be a datetime with a time zone"):
            await desk.jm.schedule_job(**asked)


async def test_a_lease_has_whole_seconds(desk: Desk) -> None:
    await desk.create()
    job = await desk.acquire()

    for seconds in NO_LEASE:
        with pytest.raises(Invalid, match="seconds of a lease must be"):
            await desk.jm.acquire_next_job("chatbooks", "default", seconds, "w1")
        with pytest.raises(Invalid, match="seconds of a lease must be"):
            await desk.jm.renew_job_lease(job["id"], seconds)


async def test_a_worker_has_a_name(desk: Desk) -> None:
    for worker_id in NO_NAME:
        with pytest.raises(Invalid, match="worker_id must have 1 to 200 characters"):
            await desk.jm.acquire_next_job("chatbooks", "default", 60, worker_id)


async def test_an_id_is_a_uuid(desk: Desk) -> None:
    for job_id in NO_ID:
        for asked in (
            desk.jm.get_job(job_id),
            desk.jm.get_job_by_uuid(job_id),
            desk.jm.cancel_job(job_id),
            desk.jm.renew_job_lease(job_id, 60),
            desk.jm.complete_job(job_id),
            desk.jm.fail_job(job_id, error="boom"),
        ):
            with pytest.raises(Invalid, match="id of a job must be a UUID"):
                await asked


async def test_a_list_has_a_limit(desk: Desk) -> None:
    for limit in NO_LIMIT:
        with pytest.raises(Invalid, match="limit must be"):
            await desk.jm.list_jobs(limit=limit)


def test_a_managers_own_limit_is_within_the_stores(blocking: BlockingStore) -> None:
    for seconds in (0, 4, 3601):
        with pytest.raises(Invalid, match="max_lease_seconds must be"):
            JobManager(blocking, max_lease_seconds=seconds)


async def test_what_cannot_be_kept_as_text_is_kept_as_well_as_can_be(desk: Desk) -> None:
    await desk.create()
    job = await desk.acquire()

    await desk.jm.fail_job(job["id"], error="nul \x00 and \ud800", retryable=False)

    assert (await desk.job(job))["error_message"] == "nul � and ?"


async def test_a_store_of_the_other_kind_is_refused_before_it_is_used(store: Store, blocking: BlockingStore) -> None:
    strange: Any
    for strange in (store, None, 7):
        with pytest.raises(Invalid, match=r"JobManager takes a URL, a Jobplane or a blocking store, not "):
            JobManager(strange)
    for strange in (blocking, None, 7):
        with pytest.raises(Invalid, match=r"AsyncJobManager takes a URL, a Jobplane or an asynchronous store, not "):
            AsyncJobManager(strange)
