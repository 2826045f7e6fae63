"""A claim that was answered is on disk: a crash of the server neither forgets the attempt nor lends the job twice."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest

from jobplane.config import Config
from jobplane.core.model import DEFAULT_TENANT, NewJob
from jobplane.embedded import EmbeddedServer
from jobplane.embedded.processes import find_process
from jobplane.opening import WorkerStores, open_worker_stores
from jobplane.store.postgres import migrate, source
from jobplane.store.postgres.settings import Settings
from tests.client import Over, PostgresStore
from tests.faults.waiting import until

# Nobody writes what is not waited for: the writer of the log sleeps.
SETTINGS: Final = {"wal_writer_delay": "10s", "autovacuum": "off"}


@pytest.fixture
def server(tmp_path: Path) -> Generator[EmbeddedServer]:
    chosen = os.environ.get("JOBPLANE_TEST_PG_BIN")
    bin_dir = Path(chosen) if chosen else None
    with EmbeddedServer(
        tmp_path / "data", bin_dir=bin_dir, bootstrap_sql=source.load().roles, settings=SETTINGS
    ) as server:
        migrate.up(server.url("jobplane_owner"))
        yield server


def crash(server: EmbeddedServer) -> None:
    """Kill the postmaster; its children end by themselves, and what was in their memory is gone."""
    pid = int((server.data_dir / "postmaster.pid").read_text().splitlines()[0])
    os.kill(pid, signal.SIGKILL)
    until(lambda: find_process(pid) is None, 10, "the end of the server")
    server.stop()
    server.start()


async def connected(server: EmbeddedServer) -> WorkerStores:
    roles = ("app", "admin", "worker")
    urls = {f"database_url_{role}": server.url(f"jobplane_{role}") for role in roles}
    return await open_worker_stores(Config.model_validate({"database_url": urls["database_url_app"], **urls}))


async def test_an_answered_claim_survives_a_crash(server: EmbeddedServer) -> None:
    stores = await connected(server)
    await Over(stores.keeps).put_definitions([{"key": "d", "kind": "python"}])
    await enqueue(server)
    [held] = (await Over(stores.claims).claim_encoded("default", "w", limit=1, lease_seconds=30)).leases

    crash(server)
    again = await connected(server)

    assert (await Over(again.claims).claim_encoded("default", "other", limit=1, lease_seconds=30)).leases == []
    assert await Over(again.keeps).renew_all([held], lease_seconds=30) == []
    assert await Over(again.settles).settle_all([held]) == []
    await stores.close()
    await again.close()


async def test_what_is_settled_stays_and_its_claim_with_it(server: EmbeddedServer) -> None:
    stores = await connected(server)
    await Over(stores.keeps).put_definitions([{"key": "d", "kind": "python"}])
    await enqueue(server)
    taken = await Over(stores.claims).claim_encoded("default", "w", limit=1, lease_seconds=30)
    assert await Over(stores.settles).settle_all(taken.leases) == []

    crash(server)
    again = await connected(server)

    assert await Over(again.settles).settle_all(taken.leases) == []
    assert (await Over(again.claims).claim_encoded("default", "w", limit=1, lease_seconds=30)).leases == []
    await stores.close()
    await again.close()


async def enqueue(server: EmbeddedServer) -> None:
    async with PostgresStore(Settings(urls={"app": server.url("jobplane_app")})) as store:
        [answer] = await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])
        assert answer.created
