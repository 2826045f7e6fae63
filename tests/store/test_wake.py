"""A notification is a hint for idle workers, sent only where one has asked; polling is the contract."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import psycopg
import pytest

from jobplane.core.model import DEFAULT_TENANT, NewJob
from tests.client import PostgresStore
from tests.clock import Clock
from tests.database import Database

Heard = Callable[[], list[str]]


@pytest.fixture
def heard(db: Database) -> Generator[Heard]:
    """What a listening worker was told so far; it listens on a connection of its own, past any pooler."""
    with psycopg.connect(db.url("worker", direct=True), autocommit=True) as conn:
        conn.execute("listen jobplane_wake")
        yield lambda: _heard(conn)


def _heard(conn: psycopg.Connection[Any]) -> list[str]:
    """A mark of our own comes after whatever was committed before it, so there is nothing to wait for."""
    conn.execute("select pg_notify('jobplane_wake', 'mark')")
    told: list[str] = []
    for notification in conn.notifies(timeout=10):
        if notification.payload == "mark":
            return told
        told.append(notification.payload)
    raise AssertionError("a notification did not arrive")


@pytest.fixture(autouse=True)
async def two_queues(store: PostgresStore) -> None:
    await store.put_queues(["other"])
    await store.put_definitions([{"key": "d", "kind": "python"}])


async def test_an_idle_worker_is_told_which_queue_has_work(store: PostgresStore, heard: Heard) -> None:
    queues = await store.want_work(["default", "other"])

    await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d", queue="other")])

    assert sorted(queues) == ["default", "other"]
    assert heard() == [str(queues["other"])]


async def test_many_jobs_are_one_hint_for_each_queue(store: PostgresStore, heard: Heard) -> None:
    queues = await store.want_work(["default", "other"])

    jobs = [NewJob(definition="d"), NewJob(definition="d", queue="other")] * 10
    await store.enqueue(DEFAULT_TENANT, jobs)

    assert sorted(heard()) == sorted(str(number) for number in queues.values())


async def test_a_worker_is_told_that_its_job_was_canceled(store: PostgresStore, heard: Heard) -> None:
    answers = await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")] * 3)
    jobs = [answer.job_id for answer in answers if answer.job_id]
    await store.claim("default", "w1", limit=2)

    await store.cancel(DEFAULT_TENANT, jobs)

    assert heard() == ["cancel w1"]  # one hint, whatever they are, and none for the job that waited


async def test_a_cancel_that_was_asked_for_before_tells_nobody(store: PostgresStore, heard: Heard) -> None:
    """Or a tenant who asks again and again would have a worker renew all its leases each time."""
    [answer] = await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])
    assert answer.job_id is not None
    await store.claim("default", "w1")
    await store.cancel(DEFAULT_TENANT, [answer.job_id], reason="first")
    assert heard() == ["cancel w1"]

    [again] = await store.cancel(DEFAULT_TENANT, [answer.job_id], reason="second")

    assert heard() == []
    assert again.outcome == "requested"
    assert (await store.get_jobs(DEFAULT_TENANT, [answer.job_id]))[0].cancel_reason == "first"


async def test_nobody_is_told_where_nobody_asked(store: PostgresStore, heard: Heard) -> None:
    await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])

    assert heard() == []


async def test_a_wish_is_for_its_own_queues(store: PostgresStore, heard: Heard) -> None:
    await store.want_work(["other"])

    await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])

    assert heard() == []


async def test_a_wish_ends(store: PostgresStore, clock: Clock, heard: Heard) -> None:
    await store.want_work(["default"], seconds=5)
    clock.advance(6)

    await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])

    assert heard() == []


async def test_a_job_for_later_wakes_when_it_is_promoted(store: PostgresStore, clock: Clock, heard: Heard) -> None:
    await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d", delay_seconds=60)])
    clock.advance(60)
    queues = await store.want_work(["default"])
    assert heard() == []

    await store.promote()

    assert heard() == [str(queues["default"])]


async def test_what_is_rolled_back_wakes_nobody(store: PostgresStore, db: Database, heard: Heard) -> None:
    await store.want_work(["default"])
    with db.connect("app", autocommit=False) as conn:
        conn.execute("select set_config('jobplane.tenant_id', %s, true)", [str(DEFAULT_TENANT)])
        conn.execute("select jobplane.enqueue('d', '{}')")
        assert heard() == []
        conn.rollback()

    assert heard() == []


async def test_a_job_that_nobody_told_of_is_told_of_by_the_upkeep(
    store: PostgresStore, db: Database, heard: Heard
) -> None:
    """Any login can hold both places of those who tell."""
    queues = await store.want_work(["default", "other"], seconds=60)
    stranger = db.connect("stranger", autocommit=False)
    for place in (74000, 74001):
        stranger.execute("select pg_advisory_lock(%s, %s)", [place, queues["default"]])
    await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])
    assert heard() == []

    assert await store.wake_idle() == 1

    assert heard() == [str(queues["default"])]


async def test_workers_that_listen_hear_every_few_seconds_that_somebody_does_the_upkeep(
    store: PostgresStore, clock: Clock, heard: Heard
) -> None:
    told: list[str] = []
    for _ in range(25):
        await store.due_chores([], by="w")
        told += [*heard(), "."]
        clock.advance(1)

    assert "".join(told).split("upkeep") == ["", "........", "........", "........", "."]


async def test_nobody_hears_of_a_process_that_only_comes_by(store: PostgresStore, heard: Heard) -> None:
    await store.due_chores([])

    assert heard() == []
