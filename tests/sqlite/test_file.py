"""The file itself: what it may be, and how large its log grows."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from jobplane.core.errors import SchemaOutOfDate, StoreError, StoreUnavailable
from jobplane.core.model import DEFAULT_TENANT, NewJob, Outcome
from jobplane.store.sqlite import file
from jobplane.store.sqlite.drivers import ApswLink, Driver
from tests.client import BlockingSqliteStore
from tests.conformance.backend import SqliteAudit
from tests.leases import settlement

MEGABYTE = 1024 * 1024


def work(store: BlockingSqliteStore, n: int) -> None:
    """Jobs that are enqueued, claimed and settled."""
    store.enqueue(DEFAULT_TENANT, [NewJob(definition="d", payload={"x": "a" * 500})] * n)
    while leases := store.claim("default", "w", limit=100).leases:
        store.settle([settlement(lease=lease, outcome=Outcome.SUCCEEDED, result="r" * 200) for lease in leases])


def test_a_memory_file_is_private_and_goes_with_the_store() -> None:
    one, two = BlockingSqliteStore(":memory:"), BlockingSqliteStore(":memory:")
    one.put_queues(["mine"])

    assert [queue.name for queue in two.queues()] == ["default", "system"]
    where = one.path.parent
    assert where.stat().st_mode & 0o777 == 0o700
    one.close()
    two.close()
    assert not where.exists()


def test_what_is_no_database_is_said_to_be_none(path: Path) -> None:
    path.write_bytes(b"Dear diary, " * 500)
    with BlockingSqliteStore(path) as store, pytest.raises(StoreError, match="not a SQLite database") as refused:
        store.queues()

    assert str(path) in str(refused.value)

    assert path.read_bytes() == b"Dear diary, " * 500


def test_a_damaged_file_is_said_to_be_damaged(path: Path, store: BlockingSqliteStore) -> None:
    work(store, 300)
    store.vacuum()
    store.close()
    damaged = bytearray(path.read_bytes())
    damaged[4096 : len(damaged) - 4096] = bytes(len(damaged) - 8192)
    path.write_bytes(damaged)

    with BlockingSqliteStore(path) as again, pytest.raises(StoreError, match=r"damaged|does not fit this program"):
        again.list_jobs(DEFAULT_TENANT)


def test_a_file_of_a_newer_program_is_refused(path: Path, store: BlockingSqliteStore) -> None:
    store.close()
    SqliteAudit(path).peek("insert into jobplane_migrations values (9999, '9999_later.sql', 0)")

    with BlockingSqliteStore(path) as older, pytest.raises(SchemaOutOfDate) as refused:
        older.queues()

    assert refused.value.facts["found"] == 9999


def test_an_applications_own_tables_stay_as_they_are(path: Path) -> None:
    with sqlite3.connect(path) as app:
        app.execute("create table jobs (mine text)")
        app.execute("insert into jobs values ('untouched')")
    app.close()

    with BlockingSqliteStore(path) as store:
        store.put_definitions([{"key": "d"}])
        work(store, 5)

    assert SqliteAudit(path).peek("select mine from jobs") == [("untouched",)]


@pytest.mark.parametrize("driver", ["apsw", "stdlib"])
@pytest.mark.parametrize("end", ["removed", "replaced"])
def test_nothing_is_acknowledged_in_a_file_that_is_no_longer_there(path: Path, driver: Driver, end: str) -> None:
    """As after a backup that somebody restored without stopping the programs."""
    with BlockingSqliteStore(path, driver=driver) as store:
        store.put_definitions([{"key": "d", "kind": "python"}])
        copy = path.with_name("copy.db")
        store.backup(copy)
        store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink()
        if end == "replaced":
            copy.rename(path)

        for call in (lambda: store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")]), store.queues):
            with pytest.raises(StoreUnavailable, match="removed or replaced"):
                call()

        store.close()
        store.put_definitions([{"key": "d", "kind": "python"}])
        store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])
        assert store.summary(DEFAULT_TENANT).ready == 1


def test_an_id_is_never_used_again(path: Path, store: BlockingSqliteStore) -> None:
    store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")] * 3)
    for table in ("ready", "jobs"):
        SqliteAudit(path).peek(f"delete from jobplane_{table} where seq > 1")

    store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])

    assert [lease.seq for lease in store.claim("default", "w", limit=10).leases] == [1, 4]


def test_the_log_stays_small(path: Path, store: BlockingSqliteStore) -> None:
    log = path.with_name(path.name + "-wal")
    sizes: list[int] = []
    for _ in range(10):
        work(store, 1000)
        sizes.append(log.stat().st_size)

    assert max(sizes) < 24 * MEGABYTE
    store.vacuum()
    assert log.stat().st_size == 0


@pytest.mark.parametrize("bound", [1, 64 * MEGABYTE])
def test_a_reader_that_never_ends_lets_the_log_grow_and_is_told_of(
    path: Path,
    store: BlockingSqliteStore,
    bound: int,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(file, "LOG_BOUND", bound)
    log = path.with_name(path.name + "-wal")
    reader = ApswLink(path)
    reader.rows("begin")
    reader.rows("select count(*) from jobplane_jobs")
    work(store, 6000)

    store.vacuum()
    assert log.stat().st_size > 8 * MEGABYTE
    assert [record.levelname for record in caplog.records] == (["WARNING"] if bound == 1 else [])
    reader.close()
    work(store, 1)
    work(store, 1)

    assert log.stat().st_size <= 8 * MEGABYTE
    caplog.clear()
    store.vacuum()
    assert log.stat().st_size == 0
    assert caplog.records == []


def test_a_vacuum_does_not_wait_for_a_reader(path: Path, store: BlockingSqliteStore) -> None:
    work(store, 10)
    reader = ApswLink(path)
    reader.rows("begin")
    reader.rows("select count(*) from jobplane_jobs")
    work(store, 10)

    store.vacuum()

    work(store, 10)
    reader.close()
