"""One file under two names: each name has a write-ahead log of its own, and they lose each other's jobs."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from jobplane.core.errors import StoreError
from jobplane.core.model import DEFAULT_TENANT, NewJob
from jobplane.store.sqlite.drivers import Driver
from jobplane.store.sqlite.filesystem import refuse_network, refuse_second_name
from jobplane.store.verbs.jobs import Enqueue
from tests.client import BlockingSqliteStore
from tests.sqlite.hand import ROOT
from tests.sqlite.test_filesystem import mounted

JOB: Final = NewJob(definition="d")
# Mounts of its own, which go with the process.
APART: Final = ("unshare", "--map-root-user", "--mount")
OPEN: Final = """
import sys
from pathlib import Path
from jobplane.core.errors import StoreError
from tests.client import BlockingSqliteStore

with BlockingSqliteStore(sys.argv[1]) as store:
    for use in (store.queues, store.check, lambda: store.backup(Path(sys.argv[1] + ".copy"))):
        try:
            print("opened", use())
        except StoreError as error:
            print(error)
"""


class Lent:
    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn

    def rows(self, statement: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        return self._conn.execute(statement, parameters).fetchall()


@pytest.fixture
def second(path: Path, store: BlockingSqliteStore) -> Path:
    """Another name of the store's file, in another directory."""
    store.close()
    (path.parent / "elsewhere").mkdir()
    second = path.parent / "elsewhere" / "jobs.db"
    os.link(path, second)
    return second


def test_what_is_committed_under_one_name_is_not_there_under_the_other(path: Path, second: Path) -> None:
    """Why such a file is refused: this is SQLite alone."""
    write = (
        "import os, sqlite3, sys\n"
        "with sqlite3.connect(sys.argv[1]) as conn:\n"
        "    conn.execute(\"update jobplane_definitions set description = 'new'\")\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", write, str(second)], check=True)

    found: list[str] = []
    for name in (path, second):
        conn = sqlite3.connect(name)
        found += [row[0] for row in conn.execute("select description from jobplane_definitions")]
        conn.close()

    assert found == ["", "new"]


@pytest.mark.parametrize("driver", ["apsw", "stdlib"])
def test_a_file_with_two_names_is_refused_under_both_until_one_is_gone(
    path: Path, second: Path, driver: Driver
) -> None:
    for name in (path, second):
        with BlockingSqliteStore(name, driver=driver) as store:
            for use in (store.queues, store.check, lambda store=store: store.backup(path.parent / "copy.db")):
                with pytest.raises(
                    StoreError, match=r"has 2 names \(hard links\).*Keep one name.*directory"
                ) as refused:
                    use()
                assert str(name) in str(refused.value)
    assert not (path.parent / "copy.db").exists()

    second.unlink()
    with BlockingSqliteStore(path, driver=driver) as store:
        assert [answer.outcome for answer in store.enqueue(DEFAULT_TENANT, [JOB])] == ["created"]


def test_a_name_that_is_made_while_the_file_is_open_is_seen_at_the_next_open(
    path: Path, store: BlockingSqliteStore
) -> None:
    """Nothing is lost meanwhile: the new name is refused."""
    second = path.with_name("second.db")
    os.link(path, second)

    [answer] = store.enqueue(DEFAULT_TENANT, [JOB])
    with BlockingSqliteStore(second) as other, pytest.raises(StoreError, match="2 names"):
        other.queues()

    assert answer.created
    store.close()
    with pytest.raises(StoreError, match="2 names"):
        store.queues()


def test_a_lent_connection_to_a_second_name_is_refused(path: Path) -> None:
    with BlockingSqliteStore(path, driver="stdlib") as store:
        store.put_definitions([{"key": "d", "kind": "python"}])
        os.link(path, path.with_name("second.db"))
        for name in ("second.db", "jobs.db"):
            conn = sqlite3.connect(path.with_name(name), isolation_level=None)
            try:
                conn.execute("begin")
                with pytest.raises(StoreError, match="2 names"):
                    store.run(Enqueue(DEFAULT_TENANT, [JOB]), conn=Lent(conn))
            finally:
                conn.close()


def test_a_symbolic_link_is_no_second_name(path: Path, store: BlockingSqliteStore) -> None:
    (path.parent / "elsewhere").mkdir()
    link = path.parent / "elsewhere" / "link.db"
    link.symlink_to(path)
    with BlockingSqliteStore(link) as other:
        made = [name.enqueue(DEFAULT_TENANT, [JOB])[0].job_id for name in (store, other)]

        assert [{job.id for job in name.list_jobs(DEFAULT_TENANT).items} for name in (store, other)] == [set(made)] * 2
        assert [file.name for file in link.parent.iterdir()] == ["link.db"]


def test_a_directory_under_two_names_is_no_second_name(path: Path, store: BlockingSqliteStore) -> None:
    _require_mounts()
    other = path.parent / "elsewhere"
    other.mkdir()

    said = _mounted(path.parent, other, other / "jobs.db")

    assert said[0].startswith("opened")


@pytest.mark.parametrize("through", ["itself", "a symbolic link"])
def test_a_file_that_is_a_mount_point_is_refused(path: Path, store: BlockingSqliteStore, through: str) -> None:
    _require_mounts()
    store.close()
    point = path.with_name("mounted.db")
    point.touch()
    path.with_name("link.db").symlink_to(point)

    said = _mounted(path, point, point if through == "itself" else path.with_name("link.db"))

    assert len(said) == 3
    assert all("is a mount point" in line and "Mount the directory instead of the file." in line for line in said)


def test_a_lent_connection_to_a_mount_point_is_refused(path: Path, store: BlockingSqliteStore) -> None:
    _require_mounts()
    store.close()
    point = path.with_name("mounted.db")
    point.touch()
    script = (
        "import sqlite3, sys\n"
        "from tests.sqlite.test_two_names import JOB, DEFAULT_TENANT, BlockingSqliteStore, Enqueue, Lent\n"
        "conn = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "conn.execute('begin')\n"
        "store = BlockingSqliteStore(sys.argv[1], driver='stdlib')\n"
        "try: print(store.run(Enqueue(DEFAULT_TENANT, [JOB]), conn=Lent(conn)))\n"
        "except Exception as error: print(error)\n"
    )

    [line] = _mounted(path, point, point, script)

    assert "Mount the directory instead of the file." in line


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs"])
def test_a_file_that_is_mounted_from_a_network_is_refused_like_its_directory(tmp_path: Path, kind: str) -> None:
    (tmp_path / "jobs.db").touch()

    with pytest.raises(StoreError, match=f"{kind}.*local disk"):
        refuse_network(tmp_path / "jobs.db", mounted(tmp_path, tmp_path / "jobs.db", kind))


@pytest.mark.parametrize("name", ["jobs.db", "with blank.db", "für alle.db"])
def test_a_mount_point_is_known_by_its_name_in_the_table(tmp_path: Path, name: str) -> None:
    file, link = tmp_path / name, tmp_path / "link"
    file.touch()
    link.symlink_to(file)
    mounts = mounted(tmp_path, file, "ext4")

    for path in (file, link):
        with pytest.raises(StoreError, match="Mount the directory instead of the file"):
            refuse_second_name(path, mounts)
    refuse_second_name(tmp_path / "other.db", mounts)
    refuse_second_name(file, tmp_path / "no table")


def _require_mounts() -> None:
    if shutil.which("unshare") is None or subprocess.run([*APART, "true"], capture_output=True, check=False).returncode:
        pytest.skip("needs a mount namespace of its own")


def _mounted(source: Path, point: Path, opened: Path, script: str = OPEN) -> list[str]:
    """What a program says that opens a path where one file or directory is mounted over another."""
    command = [*APART, "sh", "-c", 'mount --bind "$1" "$2" && exec "$3" -c "$4" "$5"', "sh"]
    run = [*command, str(source), str(point), sys.executable, script, str(opened)]
    return subprocess.run(run, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
