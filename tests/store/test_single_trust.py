"""Where one role owns and does everything, the same verbs live the same life, and every start says what is missing."""

from __future__ import annotations

import logging
from collections.abc import Generator

import pytest

from jobplane.core.model import DEFAULT_TENANT, NewJob, NewWorker, Outcome
from jobplane.store.postgres import migrate, startup
from jobplane.store.postgres.refusals import TrustMismatch
from jobplane.store.postgres.settings import Settings
from tests.client import PostgresStore
from tests.database import Cluster, Database
from tests.leases import settlement


@pytest.fixture
def alone(cluster: Cluster) -> Generator[Database]:
    """A database of one role's own, set up in single trust."""
    with cluster.fresh("template1") as database:
        migrate.up(database.url("owner", direct=True), trust="single")
        yield database


def single(database: Database) -> Settings:
    pooler = "transaction" if database.cluster.host else "none"
    return Settings(urls={"app": database.url("owner")}, trust="single", pooler=pooler, allow_unsafe_durability=True)


async def test_the_whole_life_of_a_job_with_one_role(alone: Database, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "jobplane.store"):
        async with PostgresStore(single(alone)) as store:
            await live(store)

    assert startup.SINGLE in caplog.messages


async def live(store: PostgresStore) -> None:
    charlie = (await store.create_tenant("charlie")).tenant_id
    await store.put_queues(["other"])
    await store.put_definitions([{"key": "d", "kind": "python", "queue": "other", "max_running": 1}])
    await store.register_worker(NewWorker(worker_id="w1", queues=["other"]))
    answers = await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d", max_attempts=1), NewJob(definition="d")])
    first, second = [answer.job_id for answer in answers if answer.job_id]

    [lease] = (await store.claim("other", "w1", limit=10)).leases
    assert (await store.renew([lease]))[0].answer == "renewed"
    [settled] = await store.settle([settlement(lease=lease, outcome=Outcome.FAILED, error="boom")])
    assert settled.status == "dead_letter"
    await store.retry(DEFAULT_TENANT, [first])
    await store.cancel(DEFAULT_TENANT, [second])
    for upkeep in (store.promote, store.reap, store.expire, store.sweep, store.tick, store.tidy, store.vacuum):
        await upkeep()
    [lease] = (await store.claim("other", "w1")).leases
    await store.settle([settlement(lease=lease, outcome=Outcome.SUCCEEDED, result={"n": 1})])

    jobs = await store.get_jobs(DEFAULT_TENANT, [first, second])
    assert [(job.status, job.result) for job in jobs] == [("succeeded", {"n": 1}), ("canceled", None)]
    assert len((await store.list_jobs(DEFAULT_TENANT)).items) == 2
    assert await store.get_jobs(charlie, [first, second]) == []
    assert (await store.list_jobs(charlie)).items == []


async def test_the_two_modes_do_not_mix(alone: Database, db: Database) -> None:
    roles = Settings(urls={"app": db.url("app")}, trust="single", allow_unsafe_durability=True)

    async with PostgresStore(roles) as store:
        with pytest.raises(TrustMismatch):
            await store.check()
