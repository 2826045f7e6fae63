"""On a full disk an enqueue is refused, never falsely acknowledged, and goes on when there is room again."""

from __future__ import annotations

import subprocess
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest

from jobplane.core.errors import StorageFull
from jobplane.core.model import DEFAULT_TENANT, NewJob
from tests.client import BlockingSqliteStore
from tests.conformance.backend import SqliteAudit


@pytest.fixture
def small_disk(tmp_path: Path) -> Generator[Path]:
    """A file system of 8 MB."""
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m,mode=755", "tmpfs", str(tmp_path)],
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


def fill(store: BlockingSqliteStore, batch: list[NewJob]) -> int:
    """Enqueue until there is no room; how many were acknowledged."""
    acknowledged = 0
    with suppress(StorageFull):
        while True:
            acknowledged += sum(answer.created for answer in store.enqueue(DEFAULT_TENANT, batch))
    return acknowledged


def test_what_was_acknowledged_is_there_and_the_rest_is_refused(small_disk: Path) -> None:
    path = small_disk / "jobs.db"
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(2 * 1024 * 1024))
    batch = [NewJob(definition="d", payload={"x": "a" * 1000})] * 100
    with BlockingSqliteStore(path) as store:
        store.put_definitions([{"key": "d"}])
        acknowledged = fill(store, batch)

        assert acknowledged >= 100
        with pytest.raises(StorageFull, match="Free some space"):
            store.enqueue(DEFAULT_TENANT, batch)
        assert store.summary(DEFAULT_TENANT).ready == acknowledged
        ballast.unlink()
        assert store.enqueue(DEFAULT_TENANT, batch[:1])[0].created
        assert store.summary(DEFAULT_TENANT).ready == acknowledged + 1

    assert SqliteAudit(path).faults() == []
