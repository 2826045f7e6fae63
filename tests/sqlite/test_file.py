"""The file itself: where it may lie, what it may be, how large its log grows, how it is copied."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from jobplane.core.errors import Invalid, SchemaOutOfDate, StoreError, StoreUnavailable
from jobplane.core.model import DEFAULT_TENANT, NewJob, Outcome, Settlement
from jobplane.store.sqlite.blocking import BlockingSqliteStore
from jobplane.store.sqlite.place import Place, filesystem, refuse_network
from tests.conformance.backend import SqliteAudit

MEGABYTE = 1024 * 1024


def work(store: BlockingSqliteStore, n: int) -> None:
    """Jobs that are enqueued, claimed and settled."""
    store.enqueue(DEFAULT_TENANT, [NewJob(definition="d", payload={"x": "a" * 500})] * n)
    while leases := store.claim("default", "w", limit=100).leases:
        store.settle([Settlement(lease=lease, outcome=Outcome.SUCCEEDED, result="r" * 200) for lease in leases])


def test_a_memory_file_is_private_and_goes_with_the_store() -> None:
    one, two = BlockingSqliteStore(":memory:"), BlockingSqliteStore(":memory:")
    one.put_queues(["mine"])

    assert [queue.name for queue in two.queues()] == ["default", "system"]
    where = one.path.parent
    assert where.stat().st_mode & 0o777 == 0o700
    one.close()
    two.close()
    assert not where.exists()


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "9p"])
def test_a_network_filesystem_is_refused(tmp_path: Path, kind: str) -> None:
    share = tmp_path / "share with spaces"
    share.mkdir()
    point = str(share).replace(" ", "\\040")
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        f"27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n36 27 0:33 / {point} rw shared:1 - {kind} host:/x rw\n"
    )

    with pytest.raises(StoreError, match=f"{kind}.*local disk"):
        refuse_network(share / "deep" / "jobs.db", mounts)
    assert filesystem(tmp_path / "jobs.db", mounts) == "ext4"
    assert Place(tmp_path / "jobs.db", mounts=mounts).path == tmp_path / "jobs.db"


def test_a_link_to_a_network_filesystem_is_seen_through(tmp_path: Path) -> None:
    share = tmp_path / "share"
    share.mkdir()
    (tmp_path / "link").symlink_to(share)
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"27 1 254:0 / / rw - ext4 /dev/vda rw\n36 27 0:33 / {share} rw - nfs4 host:/x rw\n")

    with pytest.raises(StoreError):
        refuse_network(tmp_path / "link" / "jobs.db", mounts)


def test_this_machines_own_disk_is_taken(tmp_path: Path) -> None:
    assert filesystem(tmp_path / "jobs.db") is not None
    refuse_network(tmp_path / "jobs.db")


def test_what_is_no_database_is_said_to_be_none(path: Path) -> None:
    path.write_bytes(b"Dear diary, " * 500)
    with BlockingSqliteStore(path) as store, pytest.raises(StoreError, match="no SQLite database"):
        store.queues()

    assert path.read_bytes() == b"Dear diary, " * 500


def test_a_damaged_file_is_said_to_be_damaged(path: Path, store: BlockingSqliteStore) -> None:
    work(store, 300)
    store.vacuum()
    store.close()
    damaged = bytearray(path.read_bytes())
    damaged[4096 : len(damaged) - 4096] = bytes(len(damaged) - 8192)
    path.write_bytes(damaged)

    with BlockingSqliteStore(path) as again, pytest.raises(StoreError, match=r"damaged|another schema"):
        again.list_jobs(DEFAULT_TENANT)


def test_a_file_of_a_newer_program_is_refused(path: Path, store: BlockingSqliteStore) -> None:
    store.close()
    SqliteAudit(path).peek("insert into jobplane_migrations values (9999, '9999_later.sql', 0)")

    with BlockingSqliteStore(path) as older, pytest.raises(SchemaOutOfDate) as refused:
        older.queues()

    assert refused.value.facts["found"] == 9999


def test_a_directory_that_is_not_there_is_an_error_of_ours(tmp_path: Path) -> None:
    with BlockingSqliteStore(tmp_path / "no" / "jobs.db") as store, pytest.raises(StoreUnavailable):
        store.queues()


def test_an_applications_own_tables_stay_as_they_are(path: Path) -> None:
    with sqlite3.connect(path) as app:
        app.execute("create table jobs (mine text)")
        app.execute("insert into jobs values ('untouched')")
    app.close()

    with BlockingSqliteStore(path) as store:
        store.put_definitions([{"key": "d"}])
        work(store, 5)

    assert SqliteAudit(path).peek("select mine from jobs") == [("untouched",)]


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


def test_a_vacuum_does_not_wait_for_a_reader(path: Path, store: BlockingSqliteStore) -> None:
    work(store, 10)
    from jobplane.store.sqlite.drivers import ApswLink

    reader = ApswLink(path)
    reader.rows("begin")
    reader.rows("select count(*) from jobplane_jobs")
    work(store, 10)

    store.vacuum()

    work(store, 10)
    reader.close()


def test_a_copy_that_is_made_under_load_is_whole(path: Path, store: BlockingSqliteStore, tmp_path: Path) -> None:
    stop = threading.Event()

    def load() -> None:
        while not stop.is_set():
            work(store, 20)

    thread = threading.Thread(target=load)
    thread.start()
    try:
        for number in range(5):
            store.backup(tmp_path / f"{number}.db")
    finally:
        stop.set()
        thread.join()

    for number in range(5):
        copy = tmp_path / f"{number}.db"
        assert SqliteAudit(copy).faults() == []
        assert SqliteAudit(copy).peek("pragma integrity_check") == [("ok",)]
        with BlockingSqliteStore(copy) as restored:
            assert restored.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])[0].created


def test_a_copy_replaces_nothing(path: Path, store: BlockingSqliteStore, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_text("mine")

    with pytest.raises(Invalid, match="is there already"):
        store.backup(there)
    with pytest.raises(Invalid, match="no file"):
        BlockingSqliteStore(tmp_path / "nothing.db").backup(tmp_path / "copy.db")

    assert there.read_text() == "mine"
    assert sorted(file.name for file in tmp_path.glob("*.part")) == []
