"""The connection that listens hears of work at once, and notices when it has become deaf."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from jobplane.config import Config
from jobplane.core.model import DEFAULT_TENANT, NewJob
from jobplane.opening import open_worker_stores
from jobplane.store.postgres.notifications import PostgresNotifications
from jobplane.store.postgres.settings import Settings
from tests.client import PostgresStore
from tests.database import Database
from tests.faults.proxy import proxied

Wakes = asyncio.Queue[int | str | None]


async def heard(wakes: Wakes) -> int | str | None:
    return await asyncio.wait_for(wakes.get(), 60)


@pytest.fixture(autouse=True)
async def queue(store: PostgresStore) -> int:
    await store.put_definitions([{"key": "d", "kind": "python"}])
    return (await store.want_work(["default"], seconds=60))["default"]


@asynccontextmanager
async def listening(
    settings: Settings, ping_seconds: float = 10, patience_seconds: float = 20
) -> AsyncGenerator[Wakes]:
    notifications = PostgresNotifications(
        replace(settings, pooler="none"), ping_seconds=ping_seconds, patience_seconds=patience_seconds
    )
    wakes = Wakes()
    listens = asyncio.create_task(
        notifications.listen(wakes.put_nowait, wakes.put_nowait, lambda: wakes.put_nowait("kept up"))
    )
    assert await heard(wakes) is None
    yield wakes
    await notifications.close()
    await listens


@pytest.fixture
def direct(settings: Settings, db: Database) -> Settings:
    return replace(settings, urls={**settings.urls, "worker": db.url("worker", direct=True)})


async def test_it_hears_which_queue_has_work_and_no_noise(
    direct: Settings, db: Database, store: PostgresStore, queue: int
) -> None:
    async with listening(direct) as wakes:
        for noise in ("", "x", "-1", "1e9", "9" * 5000):
            db.peek("select pg_notify('jobplane_wake', %s)", noise)
        await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])

        assert await heard(wakes) == queue


async def test_it_hears_whose_job_was_canceled(direct: Settings, store: PostgresStore) -> None:
    async with listening(direct) as wakes:
        [answer] = await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])
        await heard(wakes)
        await store.claim("default", "my host:1")
        assert answer.job_id
        await store.cancel(DEFAULT_TENANT, [answer.job_id])

        assert await heard(wakes) == "my host:1"


async def test_it_hears_that_somebody_does_the_upkeep(direct: Settings, store: PostgresStore) -> None:
    async with listening(direct) as wakes:
        await store.due_chores([], by="w")

        assert await heard(wakes) == "kept up"


async def test_what_it_hears_shows_that_the_line_is_there(direct: Settings, db: Database, store: PostgresStore) -> None:
    """Nobody has to ask: an idle worker makes one transaction less."""
    async with listening(direct, ping_seconds=0.5) as wakes:
        began = time.monotonic()
        while time.monotonic() < began + 2:
            db.peek("select pg_notify('jobplane_wake', '7')")
            assert await heard(wakes) == 7
            await asyncio.sleep(0.05)
        last = "select count(*) from pg_stat_activity where datname = current_database() and query = %s"

        assert db.connect("worker").execute(last, ["listen jobplane_wake"]).fetchall() == [(1,)]


async def test_what_comes_while_it_asks_whether_the_line_is_there_is_heard(
    direct: Settings, store: PostgresStore, queue: int
) -> None:
    async with listening(direct, ping_seconds=0.001) as wakes:
        for _ in range(20):
            await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])
            assert await heard(wakes) == queue


async def test_a_lost_line_is_made_anew_and_said(
    direct: Settings, db: Database, store: PostgresStore, queue: int
) -> None:
    async with listening(direct) as wakes:
        with db.cluster.admin() as admin:
            admin.execute("set role pg_signal_backend")
            ended = "select pg_terminate_backend(pid) from pg_stat_activity where datname = %s and usename = %s"
            assert (True,) in admin.execute(ended, [db.name, "jobplane_worker"]).fetchall()

        assert await heard(wakes) is None
        await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])
        assert await heard(wakes) == queue


async def test_a_deaf_line_is_noticed(direct: Settings, db: Database, store: PostgresStore, queue: int) -> None:
    [socket] = [path for path in db.cluster.server.socket_dir.glob(".s.PGSQL.*") if path.suffix != ".lock"]
    with proxied(socket) as proxy:
        url = f"postgresql://jobplane_worker@127.0.0.1:{proxy.port}/{db.name}"
        settings = replace(direct, urls={**direct.urls, "worker": url})
        async with listening(settings, ping_seconds=0.1, patience_seconds=3) as wakes:
            assert proxy.freeze() == 1

            assert await heard(wakes) is None
            await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])
            assert await heard(wakes) == queue


async def test_nobody_listens_through_a_pooler_that_would_swallow_it(db: Database) -> None:
    url = db.url("worker", direct=True)

    async def listens(**settings: str) -> bool:
        stores = await open_worker_stores(Config.model_validate({"database_url": url, **settings}))
        await stores.close()
        return stores.notifications is not None

    assert await listens()
    assert not await listens(pooler="transaction")
    assert await listens(pooler="transaction", listen_url=url)
