from __future__ import annotations

import threading
from datetime import timedelta

import pytest

from jobplane.core.errors import StaleLease
from jobplane.core.model import DEFAULT_TENANT
from tests.clock import START
from tests.database import Database
from tests.manager.clocks import Hands
from tests.manager.hand import Desk


async def test_a_renewal_lets_the_lease_end_that_many_seconds_from_now(desk: Desk, clock: Hands) -> None:
    await desk.create()
    job = await desk.acquire("w1", 60)
    clock.advance(30)

    lease = await desk.jm.renew_job_lease(job["id"], seconds=60)

    until = START + timedelta(seconds=90)
    assert lease == {
        "id": job["id"],
        "worker_id": "w1",
        "lease_id": job["lease_id"],
        "leased_until": until,
        "cancel_requested": False,
    }
    assert (await desk.job(job))["leased_until"] == until


@pytest.mark.parametrize("remembered", [True, False])
async def test_a_renewal_never_shortens_a_lease(desk: Desk, clock: Hands, remembered: bool) -> None:
    await desk.create()
    job = await desk.acquire("w1", 600)
    jm = desk.jm if remembered else desk.another()
    clock.advance(10)

    lease = await jm.renew_job_lease(job["id"], 5, "w1", job["lease_id"])

    assert lease["leased_until"] == START + timedelta(seconds=600)
    assert (await desk.job(job))["leased_until"] == lease["leased_until"]


async def test_a_renewal_is_bounded(desk: Desk, clock: Hands) -> None:
    await desk.create()
    job = await desk.acquire()

    lease = await desk.jm.renew_job_lease(job["id"], 1_000_000)

    assert lease["leased_until"] == START + timedelta(seconds=3600)


async def test_another_process_may_renew_with_the_lease_id_and_not_without(desk: Desk) -> None:
    await desk.create()
    job = await desk.acquire("worker.with.dots")
    elsewhere = desk.another()

    with pytest.raises(StaleLease, match="Pass the lease_id"):
        await elsewhere.renew_job_lease(job["id"], 60)
    assert (await elsewhere.renew_job_lease(job["id"], 60, lease_id=job["lease_id"]))["worker_id"] == "worker.with.dots"
    assert await elsewhere.renew_job_lease(job["id"], 60)


async def test_a_wrong_worker_or_lease_is_refused(desk: Desk) -> None:
    await desk.create()
    await desk.create()
    job, other = await desk.acquire("w1"), await desk.acquire("w1")

    for worker_id, lease_id in (
        ("w2", job["lease_id"]),
        ("w2", None),
        ("w1", other["lease_id"]),
        ("w1", "nonsense"),
        ("w1", ""),
        ("w1", f"{job['id'].hex}.1.1.{DEFAULT_TENANT.hex}.w1"),
    ):
        with pytest.raises(StaleLease):
            await desk.jm.renew_job_lease(job["id"], 60, worker_id, lease_id)


async def test_a_lease_that_was_lost_cannot_be_renewed(desk: Desk, clock: Hands) -> None:
    await desk.create()
    job = await desk.acquire("w1", 5)
    clock.advance(6)
    await desk.upkeep()

    with pytest.raises(StaleLease, match="has expired"):
        await desk.jm.renew_job_lease(job["id"], 60, "w1", job["lease_id"])


@pytest.mark.parametrize("backend", ["postgres"], indirect=True)
async def test_a_renewal_waits_for_a_transaction_that_has_the_lease_locked(desk: Desk, db: Database) -> None:
    await desk.create()
    job = await desk.acquire()
    conn = db.connect("app", autocommit=False)
    conn.execute("select set_config('jobplane.tenant_id', %s, true)", [str(DEFAULT_TENANT)])
    conn.execute("select jobplane.cancel(array[%s::uuid], 'in a transaction')", [job["id"]])
    committing = threading.Timer(0.3, conn.commit)
    committing.start()
    lease = await desk.jm.renew_job_lease(job["id"], 60)
    committing.join()

    assert lease["cancel_requested"]
