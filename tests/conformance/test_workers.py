from __future__ import annotations

import pytest

from jobplane.core.errors import Invalid, UnknownQueue, WorkerIsLive, WorkerNotFound
from jobplane.core.model import NewWorker, Worker
from tests.client import Store
from tests.clock import Clock
from tests.conformance.backend import Audit
from tests.conformance.factory import Factory


async def test_a_registered_worker_reads_back(store: Store, make: Factory, clock: Clock) -> None:
    await store.put_queues(["sync"])
    await store.register_worker(
        NewWorker(
            worker_id="host:17:boot",
            queues=["default", "sync"],
            definitions=["d", "not-yet"],
            hostname="höst",
            pid=17,
            version="1.2",
            slots=16,
            metadata={"zone": "a"},
        )
    )

    assert await store.workers() == [
        Worker(
            worker_id="host:17:boot",
            hostname="höst",
            pid=17,
            version="1.2",
            queues=["default", "sync"],
            definitions=["d", "not-yet"],
            slots=16,
            running_count=0,
            metadata={"zone": "a"},
            started_at=clock.now(),
            last_seen_at=clock.now(),
            live=True,
        )
    ]


async def test_a_plain_worker_runs_any_definition(store: Store) -> None:
    await store.register_worker(NewWorker(worker_id="w1", queues=["default"]))

    [worker] = await store.workers()

    assert (worker.hostname, worker.pid, worker.version, worker.slots, worker.metadata) == ("", None, "", 0, {})
    assert worker.definitions is None


async def test_the_same_id_again_replaces_the_worker(store: Store, make: Factory, clock: Clock) -> None:
    await make.worker("w1", "d")
    clock.advance(120)

    await store.register_worker(NewWorker(worker_id="w1", queues=["system"], version="2", metadata={"a": 1}))

    [worker] = await store.workers()
    assert (worker.queues, worker.definitions, worker.version, worker.metadata) == (["system"], None, "2", {"a": 1})
    assert (worker.last_seen_at, worker.live) == (clock.now(), True)


async def test_a_worker_lives_for_a_minute_after_it_was_seen(store: Store, make: Factory, clock: Clock) -> None:
    await make.worker("w1", "d")
    clock.advance(59)
    assert [worker.live for worker in await store.workers()] == [True]
    clock.advance(1)
    assert [worker.live for worker in await store.workers()] == [False]

    assert await store.see_worker("w1", running_count=3)

    [worker] = await store.workers()
    assert (worker.live, worker.running_count, worker.last_seen_at) == (True, 3, clock.now())


async def test_a_worker_that_is_not_registered_is_told_so(store: Store, make: Factory) -> None:
    assert not await store.see_worker("w1")
    assert not await store.deregister_worker("w1")

    await make.worker("w1", "d")

    assert await store.deregister_worker("w1")
    assert not await store.see_worker("w1")
    assert await store.workers() == []


async def test_a_deregistered_workers_leases_are_the_reapers(store: Store, make: Factory, clock: Clock) -> None:
    await make.worker("w1", "d")
    lease = await make.lease()
    await store.deregister_worker("w1")
    assert (await make.get(lease.job_id)).status == "running"

    clock.advance(31)

    assert await store.reap() == 1


async def test_the_latest_seen_come_first(store: Store, make: Factory, clock: Clock) -> None:
    for name in ("a", "b", "c"):
        await make.worker(name, "d")
        clock.advance(1)
    await store.see_worker("a")

    assert [worker.worker_id for worker in await store.workers()] == ["a", "c", "b"]
    assert [worker.worker_id for worker in await store.workers(limit=2)] == ["a", "c"]


async def test_a_worker_that_cannot_be_is_refused(store: Store) -> None:
    for worker_id in ("", "w" * 201, "w\x00", "\ud800"):
        with pytest.raises(Invalid):
            await store.register_worker(NewWorker(worker_id=worker_id, queues=["default"]))
    with pytest.raises(Invalid):
        await store.register_worker(NewWorker(worker_id="w1", queues=["default"], pid=2**40))
    with pytest.raises(Invalid):
        await store.register_worker(NewWorker(worker_id="w1", queues=["default"], metadata={"x": float("nan")}))
    with pytest.raises(UnknownQueue, match="nowhere"):
        await store.register_worker(NewWorker(worker_id="w1", queues=["default", "nowhere"]))

    assert await store.workers() == []


@pytest.mark.needs("notify")
async def test_who_wants_work_learns_what_a_notification_will_carry(store: Store) -> None:
    await store.put_queues(["sync"])

    wanted = await store.want_work(["default", "sync", "nowhere"])

    assert sorted(wanted) == ["default", "sync"]
    assert len(set(wanted.values())) == 2
    assert await store.want_work(["sync"], seconds=60) == {"sync": wanted["sync"]}
    assert await store.want_work([]) == {}


async def test_a_worker_says_that_it_is_stopping(store: Store, make: Factory) -> None:
    await make.worker("w1", "d")

    seen: list[bool] = []
    for draining in (None, True, None, False, True):
        assert await store.see_worker("w1", 0, draining)
        seen.append((await store.workers())[0].draining)
    await make.worker("w1", "d")

    assert seen == [False, True, True, False, True]
    assert not (await store.workers())[0].draining


async def test_a_worker_shows_its_longest_attempt(store: Store, make: Factory, clock: Clock) -> None:
    for name in ("w1", "w2"):
        await make.worker(name, "d")
    await make.jobs(3)
    began = clock.now()
    await make.claim(worker="w1")
    clock.advance(7)
    await make.claim(2, worker="w1")
    clock.advance(3)

    found = {
        worker.worker_id: (worker.oldest_lease_at, worker.longest_lease_seconds) for worker in await store.workers()
    }

    assert found == {"w1": (began, 10), "w2": (None, None)}


async def test_only_a_stale_worker_is_deleted(store: Store, make: Factory, clock: Clock, audit: Audit) -> None:
    await make.worker("w1", "d")
    clock.advance(59)
    [worker] = await store.workers()
    assert not worker.stale
    with pytest.raises(WorkerIsLive, match='Cannot delete worker "w1"'):
        await store.delete_worker("w1")

    clock.advance(1)

    [worker] = await store.workers()
    assert worker.stale
    await store.delete_worker("w1")
    assert await store.workers() == []
    with pytest.raises(WorkerNotFound, match='There is no worker "w1"'):
        await store.delete_worker("w1")
    assert len(audit.look("select 1 from jobplane.audit_log where action = 'deleteWorker'")) == 1
