"""A copy is whole or not there, whoever else works, copies or dies meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from jobplane.core.errors import Invalid, StoreError, StoreUnavailable
from jobplane.core.model import DEFAULT_TENANT, NewJob
from jobplane.store.sqlite import backup
from tests.client import BlockingSqliteStore
from tests.conformance.backend import SqliteAudit
from tests.sqlite.hand import ROOT, start


def names(directory: Path) -> list[str]:
    return sorted(file.name for file in directory.iterdir() if not file.name.startswith("jobs.db"))


def test_copies_that_are_made_while_processes_write_are_whole(
    path: Path, store: BlockingSqliteStore, tmp_path: Path
) -> None:
    hands = [start(path, "churn") for _ in range(4)]
    try:
        for number in range(5):
            store.backup(tmp_path / f"{number}.db")
    finally:
        for hand in hands:
            hand.kill()
            hand.communicate()

    for number in range(5):
        copy = SqliteAudit(tmp_path / f"{number}.db")
        assert copy.faults() == []
        assert copy.peek("pragma integrity_check") == [("ok",)]
        with BlockingSqliteStore(tmp_path / f"{number}.db") as restored:
            assert restored.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])[0].created
    assert names(tmp_path) == [f"{number}.db" for number in range(5)]


def test_of_several_copies_to_one_name_one_is_made(path: Path, store: BlockingSqliteStore, tmp_path: Path) -> None:
    store.enqueue(DEFAULT_TENANT, [NewJob(definition="d", payload={"x": "a" * 5000})] * 500)
    together = threading.Barrier(3)

    def copy(_: int) -> str:
        with BlockingSqliteStore(path) as mine:
            together.wait()
            try:
                mine.backup(tmp_path / "copy.db")
            except Invalid as refused:
                return refused.message
        return "made"

    with ThreadPoolExecutor(3) as threads:
        outcomes = sorted(threads.map(copy, range(3)))

    assert [outcome.endswith("exists already. Name a file that does not exist.") for outcome in outcomes] == [
        True,
        True,
        False,
    ]
    assert SqliteAudit(tmp_path / "copy.db").peek("select count(*) from jobplane_jobs") == [(500,)]
    assert names(tmp_path) == ["copy.db"]


def test_a_copy_replaces_nothing_and_of_nothing_there_is_none(store: BlockingSqliteStore, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("mine")
    (tmp_path / "nowhere").symlink_to(tmp_path / "gone")

    for taken in ("there", "nowhere"):
        with pytest.raises(Invalid, match="exists already"):
            store.backup(tmp_path / taken)
    with pytest.raises(Invalid, match="no file"):
        BlockingSqliteStore(tmp_path / "nothing.db").backup(tmp_path / "copy.db")

    assert (tmp_path / "there").read_text() == "mine"
    assert names(tmp_path) == ["nowhere", "there"]


def test_a_file_that_comes_in_between_is_left_alone(
    store: BlockingSqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "copy.db"
    link = os.link

    def slow(source: Path, name: Path) -> None:
        target.write_text("mine")
        link(source, name)

    monkeypatch.setattr(os, "link", slow)
    with pytest.raises(Invalid, match="exists already"):
        store.backup(target)

    assert target.read_text() == "mine"
    assert names(tmp_path) == ["copy.db"]


def test_a_disk_without_hard_links_gets_its_copy_too(
    store: BlockingSqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(source: Path, name: Path) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", never)
    store.backup(tmp_path / "copy.db")

    assert SqliteAudit(tmp_path / "copy.db").peek("pragma integrity_check") == [("ok",)]
    assert names(tmp_path) == ["copy.db"]


def test_a_neighbour_of_the_copy_stays(store: BlockingSqliteStore, tmp_path: Path) -> None:
    (tmp_path / "copy.db.part").write_text("mine")

    store.backup(tmp_path / "copy.db")

    assert (tmp_path / "copy.db.part").read_text() == "mine"


def test_a_copy_onto_the_file_itself_is_refused(path: Path, store: BlockingSqliteStore, tmp_path: Path) -> None:
    store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])
    (tmp_path / "link.db").symlink_to(path)
    for itself in (path, tmp_path / "link.db", tmp_path / "." / "jobs.db"):
        with pytest.raises(Invalid, match="exists already"):
            store.backup(itself)

    assert store.summary(DEFAULT_TENANT).ready == 1


def test_a_copy_that_cannot_be_written_says_so_and_leaves_nothing(store: BlockingSqliteStore, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for target in (tmp_path / "missing" / "copy.db", tmp_path / "file" / "copy.db", tmp_path / ("x" * 300)):
        with pytest.raises(StoreUnavailable, match="copy"):
            store.backup(target)

    assert names(tmp_path) == ["file"]


def test_what_is_no_database_has_no_copy(path: Path, tmp_path: Path) -> None:
    path.write_bytes(b"Dear diary, " * 500)
    with BlockingSqliteStore(path) as store, pytest.raises(StoreError, match="not a SQLite database"):
        store.backup(tmp_path / "copy.db")

    assert names(tmp_path) == []


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.client import BlockingSqliteStore

os.link = lambda source, target: os.kill(os.getpid(), signal.SIGKILL)
BlockingSqliteStore(sys.argv[1]).backup(Path(sys.argv[2]))
"""


def test_what_a_killed_copy_left_goes_with_the_next_one(path: Path, store: BlockingSqliteStore, tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(path), str(tmp_path / "copy.db")]
    killed = subprocess.run(command, cwd=ROOT, check=False, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    [left] = names(tmp_path)
    assert left.startswith(backup.PREFIX)

    store.backup(tmp_path / "copy.db")

    assert names(tmp_path) == ["copy.db"]


def test_a_restored_copy_hands_out_no_seq_that_it_has_seen(
    path: Path, store: BlockingSqliteStore, tmp_path: Path
) -> None:
    store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")] * 3)
    for table in ("ready", "jobs"):
        SqliteAudit(path).peek(f"delete from jobplane_{table} where seq > 1")
    store.backup(tmp_path / "copy.db")

    with BlockingSqliteStore(tmp_path / "copy.db") as restored:
        restored.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])

        assert [lease.seq for lease in restored.claim("default", "w", limit=10).leases] == [1, 4]
