"""Each kind of call has a deadline of its own, here and in the server, and none takes what a lease leaves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Final, cast

import pytest

from jobplane import JobStatus, opening
from jobplane.config import Config
from jobplane.core.errors import StoreBusy, StoreError
from jobplane.opening import Deadlines, WorkerStores
from jobplane.store.postgres.calls.call import Call, one
from jobplane.store.worker import WorkerStore
from tests.client import Over, PostgresWorkerStore
from tests.database import Database
from tests.worker.settings import settings
from tests.worker.stage import Stage

FENCE: Final = 0.9  # of a lease: handlers are killed then
SLEEP: Final[Call[int]] = Call("worker", "select 1 from pg_sleep(30)", (), one)
SLOW: Final = ("promote(p_limit int)", "sweep(p_limit int)", "expire(p_limit int)", "tick(p_full boolean)")


@pytest.mark.parametrize("lease", [5, 6, 10, 15, 30, 120, 3600])
def test_a_renewal_behind_the_longest_chore_is_in_time(lease: int) -> None:
    found = settings(lease_seconds=lease).deadlines

    assert lease / 3 + found.upkeep + found.keeps < lease * FENCE
    assert found.upkeep < lease / 3
    assert (found.claims <= 5, found.keeps <= 3, found.settles <= 10, found.upkeep <= 30) == (True,) * 4


def test_with_long_leases_they_are_the_longest() -> None:
    found = settings(lease_seconds=3600).deadlines

    assert found == Deadlines(claims=5, settles=10, keeps=3, upkeep=30)


@pytest.fixture
async def stores(db: Database) -> AsyncGenerator[WorkerStores]:
    """Chores are given up soon, all else has more time than a busy machine needs."""
    config = Config(database_url=db.url("app"), database_url_worker=db.url("worker"), allow_unsafe_durability=True)
    stores = await opening.open_worker_stores(config, Deadlines(claims=20, settles=15, keeps=10, upkeep=1.5))
    yield stores
    await stores.close()


async def asked(store: WorkerStore, call: Call[int]) -> int:
    return await cast("PostgresWorkerStore", store)._run(call)  # pyright: ignore[reportPrivateUsage]


async def shown(store: WorkerStore, setting: str) -> str:
    call: Call[str] = Call("worker", "select current_setting(%s)", (setting,), one)
    return await cast("PostgresWorkerStore", store)._run(call)  # pyright: ignore[reportPrivateUsage]


async def test_the_server_knows_the_deadline_of_each_call(db: Database, stores: WorkerStores) -> None:
    if db.cluster.host:
        pytest.skip("a pooler's sessions are told nothing")
    whole = db.peek("select 1 from pg_settings where name = 'transaction_timeout'")
    kinds = {"18s": stores.claims, "13500ms": stores.settles, "9s": stores.keeps, "1350ms": stores.upkeep}
    wholes = {"18s": "20s", "13500ms": "15s", "9s": "10s", "1350ms": "1500ms"}

    for _ in range(2):  # two kinds take turns on one connection
        for seconds, store in kinds.items():
            assert await shown(store, "statement_timeout") == seconds
            assert not whole or await shown(store, "transaction_timeout") == wholes[seconds]
            assert await shown(store, "lock_timeout") == "2s"
            assert await shown(store, "idle_in_transaction_session_timeout") == "15s"


async def test_a_call_that_takes_too_long_is_ended_by_the_server_and_is_no_outage(stores: WorkerStores) -> None:
    """It comes first, as its deadline is the shorter one; here much shorter, so that a busy machine changes nothing."""
    sooner = "select length(set_config('statement_timeout', '500', false))"
    await asked(stores.settles, Call("worker", sooner, (), one))

    with pytest.raises(StoreBusy, match="timeout"):
        await asked(stores.settles, SLEEP)


async def test_a_renewal_waits_for_one_call_of_the_upkeep_at_most(stores: WorkerStores) -> None:
    await Over(stores.keeps).renew_all([], lease_seconds=30)
    ended: list[str] = []

    async def chore() -> None:
        with pytest.raises(StoreError):
            await asked(stores.upkeep, SLEEP)
        ended.append("chore")

    chores = [asyncio.create_task(chore()) for _ in range(3)]
    await asyncio.sleep(0.1)

    assert await Over(stores.keeps).renew_all([], lease_seconds=30) == []

    ended.append("renewal")
    await asyncio.gather(*chores)
    assert ended == ["chore", "renewal", "chore", "chore"]


def test_chores_that_never_end_cost_no_lease(stage: Stage, db: Database) -> None:
    with db.connect("owner") as owner:
        owner.execute("grant create on schema jobplane to jobplane_engine")
        owner.execute("set role jobplane_engine")
        for verb in SLOW:
            owner.execute(
                f"create or replace function jobplane.{verb.replace(')', ' default null)')} returns int"
                " language sql security definer set search_path = pg_catalog, jobplane, pg_temp"
                " as 'select 1 from pg_sleep(30)'".encode()
            )
    worker = stage.started(lease_seconds="10")

    ended = stage.ended(stage.enqueue("rest", seconds=10.5))

    assert (ended.status, ended.attempts) == (JobStatus.SUCCEEDED, 1)
    assert worker.lines("lease_gone") == worker.lines("executor_died") == []
