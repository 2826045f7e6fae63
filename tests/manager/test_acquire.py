from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from jobplane.api.manager import JobManager
from jobplane.core.model import DEFAULT_TENANT, NewJob
from tests.client import BlockingStore
from tests.clock import START
from tests.manager.clocks import Hands
from tests.manager.hand import EXPORT, Desk


async def test_an_acquired_job_says_who_has_it_until_when(desk: Desk, clock: Hands) -> None:
    await desk.create()
    clock.advance(3)

    job = await desk.acquire("w1", 60)

    assert job["lease_id"]
    now = START + timedelta(seconds=3)
    assert (job["status"], job["worker_id"], job["acquired_at"]) == ("running", "w1", now)
    assert job["leased_until"] == now + timedelta(seconds=60)
    assert (job["retry_count"], job["created_at"], job["updated_at"]) == (0, START, now)
    assert job == {**(await desk.job(job)), "lease_id": job["lease_id"]}


async def test_an_empty_queue_gives_nothing_even_one_that_never_was(desk: Desk) -> None:
    assert await desk.jm.acquire_next_job("never", "seen", 60, "w1") is None


async def test_two_acquisitions_of_one_job_have_two_leases(desk: Desk) -> None:
    await desk.create()
    first = await desk.acquire()
    await desk.jm.fail_job(first["id"], error="boom")
    await desk.store.reschedule(DEFAULT_TENANT, [first["id"]], delay_seconds=0)
    await desk.upkeep()

    second = await desk.acquire()

    assert second["id"] == first["id"]
    assert second["lease_id"] != first["lease_id"]


async def test_a_lower_number_is_more_urgent_and_equals_are_in_turn(desk: Desk) -> None:
    made = [await desk.create(priority=p, payload={"n": n}) for n, p in enumerate((5, 5, 1, 9))]

    got = [(await desk.acquire())["id"] for _ in made]

    assert got == [made[n]["id"] for n in (2, 0, 1, 3)]


async def test_a_lease_is_at_least_five_seconds_and_at_most_what_the_manager_allows(
    blocking: BlockingStore, clock: Hands
) -> None:
    jm = JobManager(blocking, max_lease_seconds=60)
    for _ in range(2):
        jm.create_job(**EXPORT)

    short = jm.acquire_next_job("chatbooks", "default", 1, "w1")
    long = jm.acquire_next_job("chatbooks", "default", 86_400, "w1")

    assert short
    assert long
    assert short["leased_until"] == START + timedelta(seconds=5)
    assert long["leased_until"] == START + timedelta(seconds=60)


async def test_an_acquire_for_an_owner_gives_the_owners_most_urgent_job(desk: Desk) -> None:
    await desk.create(owner_user_id="u2", priority=0)
    await desk.create(owner_user_id="u1", priority=6)
    mine = await desk.create(owner_user_id="u1", priority=5, project_id=3)

    job = await desk.jm.acquire_next_job("chatbooks", "default", 60, "w1", owner_user_id="u1")

    assert job is not None
    assert job["id"] == mine["id"]


async def test_what_an_acquire_for_an_owner_passed_over_is_unspent(desk: Desk) -> None:
    others = [await desk.create(owner_user_id="u2", max_retries=0) for _ in range(3)]
    await desk.create(owner_user_id="u1", project_id=3)

    await desk.jm.acquire_next_job("chatbooks", "default", 60, "w1", "u1", 3)
    await desk.upkeep()

    assert {(await desk.job(other))["status"] for other in others} == {"queued"}
    for other in others:
        [attempt] = await desk.store.attempts(DEFAULT_TENANT, other["id"])
        assert (attempt.status, attempt.reason) == ("released", "unstarted")
    for _ in others:
        got = await desk.acquire("w2")
        assert got["owner_user_id"] == "u2"
        assert await desk.jm.complete_job(got["id"]) == "succeeded"


async def test_an_acquire_for_an_owner_without_jobs_touches_nobody_elses(desk: Desk) -> None:
    other = await desk.create(owner_user_id="u2")

    assert await desk.jm.acquire_next_job("chatbooks", "default", 60, "w1", "u1") is None
    assert await desk.jm.acquire_next_job("chatbooks", "default", 60, "w1", "u2", 9) is None

    assert await desk.store.attempts(DEFAULT_TENANT, other["id"]) == []


async def test_an_acquire_for_an_owner_looks_at_ten_and_comes_to_the_others_next_time(desk: Desk) -> None:
    for _ in range(12):
        await desk.create(owner_user_id="u2")
    mine = await desk.create(owner_user_id="u1")

    first = await desk.jm.acquire_next_job("chatbooks", "default", 60, "w1", "u1")
    await desk.upkeep()
    second = await desk.jm.acquire_next_job("chatbooks", "default", 60, "w1", "u1")

    assert first is None
    assert second is not None
    assert second["id"] == mine["id"]
    assert len(await desk.jm.list_jobs(status="running")) == 1


async def test_a_job_of_another_tenant_in_the_queue_runs_like_any(desk: Desk) -> None:
    await desk.create()
    await desk.acquire()
    charlie = (await desk.store.create_tenant("charlie")).tenant_id
    [answer] = await desk.store.enqueue(charlie, [NewJob(definition="chatbooks.default.export", payload={"n": 1})])

    job = await desk.acquire()

    assert (job["id"], job["payload"]) == (answer.job_id, {"n": 1})
    assert await desk.jm.complete_job(job["id"], lease_id=job["lease_id"]) == "succeeded"


async def test_acquire_alone_keeps_jobs_moving(desk: Desk, clock: Hands) -> None:
    """No worker, no scheduler: what was lost, put off or expired is seen to by the next acquire."""
    lost = await desk.create(max_retries=1)
    await desk.acquire("gone", 5)
    later = await desk.jm.schedule_job(**EXPORT, available_at=START + timedelta(seconds=6))
    clock.advance(6)
    assert (await desk.another().acquire_next_job("chatbooks", "default", 60, "w2") or {}).get("id") == later["id"]
    clock.advance(1)

    again = await desk.another().acquire_next_job("chatbooks", "default", 60, "w2")

    assert again is not None
    assert (again["id"], again["retry_count"]) == (lost["id"], 1)


def test_eight_threads_never_get_the_same_job(blocking: BlockingStore) -> None:
    jm = JobManager(blocking)
    made = {jm.create_job(**EXPORT)["id"] for _ in range(40)}

    def work(name: str) -> list[object]:
        got: list[object] = []
        while job := jm.acquire_next_job("chatbooks", "default", 60, name):
            got.append(job["id"])
            jm.complete_job(job["id"], worker_id=name, lease_id=job["lease_id"])
        return got

    with ThreadPoolExecutor(8) as threads:
        taken = Counter(job for got in threads.map(work, [f"w{n}" for n in range(8)]) for job in got)

    assert taken == Counter(made)
