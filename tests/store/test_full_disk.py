"""R24: on a full disk an enqueue is refused, never falsely acknowledged, and goes on when there is room again."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import Generator
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from jobplane.core.errors import StorageFull, StoreError, StoreUnavailable
from jobplane.core.model import DEFAULT_TENANT, Enqueued, NewJob
from jobplane.embedded import EmbeddedServer
from jobplane.store.postgres import migrate, source
from jobplane.store.postgres.settings import Settings
from jobplane.store.postgres.store import PostgresStore

MEGABYTE = 1024 * 1024
WAL = {"min_wal_size": "32MB", "max_wal_size": "32MB"}


@pytest.fixture
def small_disk(tmp_path: Path) -> Generator[Path]:
    """A file system of 256 MB."""
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256m,mode=755", "tmpfs", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"a small file system cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield tmp_path
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def server_on(disk: Path) -> EmbeddedServer:
    bin_dir = os.environ.get("JOBPLANE_TEST_PG_BIN")
    chosen = Path(bin_dir) if bin_dir else None
    return EmbeddedServer(disk / "data", bin_dir=chosen, bootstrap_sql=source.load().roles, settings=WAL)


def store_on(server: EmbeddedServer) -> PostgresStore:
    roles = ("app", "worker", "admin")
    return PostgresStore(Settings(urls={role: server.url(f"jobplane_{role}") for role in roles}, timeout_seconds=5))


def fill(path: Path) -> None:
    """Take the room that is left, but for a little."""
    with path.open("wb", buffering=0) as ballast:
        try:
            while True:
                ballast.write(bytes(MEGABYTE))
        except OSError:
            ballast.truncate(path.stat().st_size - 2 * MEGABYTE)


async def enqueue_until_refused(store: PostgresStore) -> tuple[list[UUID], StoreError]:
    """The ids that were acknowledged, and what ended it."""
    kept: list[UUID] = []
    for _ in range(1000):
        ids = [uuid4() for _ in range(50)]
        jobs = [NewJob(definition="d", id=job_id, payload={"x": str(job_id) * 100}) for job_id in ids]
        try:
            answers = await store.enqueue(DEFAULT_TENANT, jobs)
        except (StorageFull, StoreUnavailable) as error:
            return kept, error
        assert [answer.outcome for answer in answers] == ["created"] * len(ids)
        kept += ids
    raise AssertionError("the disk did not fill")


async def goes_on(store: PostgresStore, server: EmbeddedServer) -> Enqueued:
    """The first job that is taken again by the same store, within a minute of the room being there.

    A server whose recovery found no room has ended, and is started again.
    """
    deadline = time.monotonic() + 60
    while True:
        try:
            [answer] = await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])
        except (StorageFull, StoreUnavailable):
            assert time.monotonic() < deadline
            if not (server.data_dir / "postmaster.pid").exists():
                server.stop()
                server.start()
            await asyncio.sleep(0.1)
        else:
            return answer


async def test_a_full_disk_refuses_and_loses_nothing(small_disk: Path) -> None:
    with server_on(small_disk) as server:
        migrate.up(server.url("jobplane_owner"))
        async with store_on(server) as store:
            await store.put_definitions([{"key": "d", "kind": "python"}])
            fill(small_disk / "ballast")

            kept, error = await enqueue_until_refused(store)

            assert kept
            assert error.message
            (small_disk / "ballast").unlink()
            assert (await goes_on(store, server)).created
            assert await found(store, kept) == set(kept)
    with server_on(small_disk) as server:
        async with store_on(server) as store:
            assert await found(store, kept) == set(kept)


async def found(store: PostgresStore, ids: list[UUID]) -> set[UUID]:
    pages = [await store.get_jobs(DEFAULT_TENANT, ids[n : n + 500]) for n in range(0, len(ids), 500)]
    return {job.id for page in pages for job in page}
