"""The two worker loops that the manager was designed for, as they stand there but for a way to stop."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from jobplane.api.manager import AsyncJobManager, JobManager, JobRecord
from tests.client import BlockingStore, Store
from tests.manager.hand import exporting

WAIT = 0.02


def export(job: JobRecord) -> str:
    """Process one; the payload says what happens."""
    if job["payload"].get("fails"):
        raise OSError("disk full")
    return f"/archives/{job['payload']['name']}.zip"


def run_worker(jm: JobManager, stop: threading.Event) -> None:
    while not stop.is_set():
        job = jm.acquire_next_job("chatbooks", "default", lease_seconds=60, worker_id="cb-worker-1")
        if not job:
            time.sleep(WAIT)
            continue
        try:
            archive_path = export(job)
            jm.complete_job(job["id"], worker_id="cb-worker-1", lease_id=job["lease_id"], result={"path": archive_path})
        except Exception as e:  # noqa: BLE001 the loop's rim
            jm.fail_job(job["id"], worker_id="cb-worker-1", lease_id=job["lease_id"], error=str(e), retryable=True)


async def run_async_worker(jm: AsyncJobManager, stop: asyncio.Event) -> None:
    while not stop.is_set():
        job = await jm.acquire_next_job("chatbooks", "default", lease_seconds=60, worker_id="cb-worker-1")
        if not job:
            await asyncio.sleep(WAIT)
            continue
        try:
            archive_path = export(job)
            await jm.complete_job(
                job["id"], worker_id="cb-worker-1", lease_id=job["lease_id"], result={"path": archive_path}
            )
        except Exception as e:  # noqa: BLE001 the loop's rim
            await jm.fail_job(
                job["id"], worker_id="cb-worker-1", lease_id=job["lease_id"], error=str(e), retryable=True
            )


def over(jobs: list[JobRecord | None]) -> bool:
    return all(job and job["status"] not in ("queued", "running") for job in jobs)


@pytest.mark.timeout(60)
def test_the_blocking_loop(blocking: BlockingStore) -> None:
    jm = JobManager(blocking)
    good = [jm.create_job(**exporting(name=f"n{n}")) for n in range(5)]
    bad = jm.create_job(**exporting(fails=True), max_retries=0)
    stop = threading.Event()
    workers = [threading.Thread(target=run_worker, args=(jm, stop)) for _ in range(2)]
    for worker in workers:
        worker.start()

    while not over([jm.get_job(job["id"]) for job in (*good, bad)]):
        time.sleep(WAIT)
    late = jm.create_job(**exporting(name="late"))
    while not over([jm.get_job(late["id"])]):
        time.sleep(WAIT)
    stop.set()
    for worker in workers:
        worker.join()

    assert sorted(str(job["result"]) for job in jm.list_jobs(status="succeeded")) == sorted(
        str({"path": f"/archives/{name}.zip"}) for name in ("n0", "n1", "n2", "n3", "n4", "late")
    )
    [dead] = jm.list_jobs(status="dead_letter")
    assert (dead["id"], dead["error_message"]) == (bad["id"], "disk full")


@pytest.mark.timeout(60)
async def test_the_asynchronous_loop(store: Store) -> None:
    jm = AsyncJobManager(store)
    good = [await jm.create_job(**exporting(name=f"n{n}")) for n in range(5)]
    bad = await jm.create_job(**exporting(fails=True), max_retries=0)
    stop = asyncio.Event()
    workers = [asyncio.create_task(run_async_worker(jm, stop)) for _ in range(3)]

    while not over([await jm.get_job(job["id"]) for job in (*good, bad)]):  # noqa: ASYNC110 a probe
        await asyncio.sleep(WAIT)
    stop.set()
    await asyncio.gather(*workers)

    done = [await jm.get_job(job["id"]) for job in good]
    assert [job and job["result"] for job in done] == [{"path": f"/archives/n{n}.zip"} for n in range(5)]
    [dead] = await jm.list_jobs(status="dead_letter")
    assert (dead["id"], dead["last_error"]) == (bad["id"], "disk full")


def test_the_calls_in_the_order_that_the_design_shows_them(blocking: BlockingStore) -> None:
    jm = JobManager(blocking)
    user_id = 7

    job = jm.create_job(
        domain="chatbooks",
        queue="default",
        job_type="export",
        payload={"name": "Weekly Backup", "selections": {"notes": [1, 2]}},
        owner_user_id=user_id,
        priority=5,
    )
    next_job = jm.acquire_next_job(domain="chatbooks", queue="default", lease_seconds=60, worker_id="worker-1")
    assert next_job is not None
    jm.renew_job_lease(next_job["id"], seconds=60)
    jm.complete_job(
        next_job["id"], worker_id="worker-1", lease_id=next_job["lease_id"], result={"file": "/path/to/archive"}
    )
    job_id = jm.create_job("chatbooks", "default", "import", {}, user_id)["id"]
    jm.cancel_job(job_id, reason="user_request")

    assert [found["status"] for found in jm.list_jobs(owner_user_id=user_id)] == ["canceled", "succeeded"]
    assert (jm.get_job(job["id"]) or {}).get("result") == {"file": "/path/to/archive"}
