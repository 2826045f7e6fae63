"""Where a file may lie, and what its name may be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from jobplane.core.errors import Invalid, StoreError, StoreUnavailable
from jobplane.store.sqlite.filesystem import Place, filesystem, refuse_network
from tests import programs
from tests.client import BlockingSqliteStore
from tests.sqlite.hand import ROOT

ROOT_DISK = "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"


def mounted(tmp_path: Path, point: Path, kind: str) -> Path:
    """A table of mounts with one of that kind; written as the kernel does, blanks as octal numbers."""
    mounts = tmp_path / "mountinfo"
    written = os.fsencode(point).replace(b" ", b"\\040")
    mounts.write_bytes(ROOT_DISK.encode() + b"36 27 0:33 / %b rw shared:1 - %b host:/x rw\n" % (written, kind.encode()))
    return mounts


@pytest.mark.parametrize(
    "kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs", "fuse", "fuse.sshfs", "fuse.juicefs"]
)
@pytest.mark.parametrize("name", ["share with spaces", "für alle", os.fsdecode(b"\xff")])
def test_a_network_filesystem_is_refused(tmp_path: Path, kind: str, name: str) -> None:
    share = tmp_path / name
    share.mkdir()
    mounts = mounted(tmp_path, share, kind)

    with pytest.raises(StoreError, match=f"{kind}.*local disk"):
        refuse_network(share / "deep" / "jobs.db", mounts)
    assert filesystem(tmp_path / "jobs.db", mounts) == "ext4"
    assert Place(tmp_path / "jobs.db", mounts=mounts).path == tmp_path / "jobs.db"


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs", "zfs", "tmpfs", "overlay", "fuse.fuse-overlayfs", "fuseblk"])
def test_a_disk_of_this_machine_is_taken(tmp_path: Path, kind: str) -> None:
    refuse_network(tmp_path / "jobs.db", mounted(tmp_path, tmp_path, kind))
    refuse_network(tmp_path / "jobs.db")


@pytest.mark.parametrize("link", ["directory", "file"])
def test_a_link_to_a_network_filesystem_is_seen_through(tmp_path: Path, link: str) -> None:
    share = tmp_path / "share"
    share.mkdir()
    (tmp_path / "directory").symlink_to(share)
    (tmp_path / "file").symlink_to(share / "jobs.db")
    named = tmp_path / "directory" / "jobs.db" if link == "directory" else tmp_path / "file"

    with pytest.raises(StoreError, match="nfs4"):
        refuse_network(named, mounted(tmp_path, share, "nfs4"))


@pytest.mark.parametrize(
    "name", ["a b.db", "a%20b.db", "a?mode=ro", "a#b", "ü\U0001f600", "file:x.db", "a\nb", "~x.db", "'"]
)
def test_a_name_is_only_ever_a_name(tmp_path: Path, name: str) -> None:
    with BlockingSqliteStore(tmp_path / name) as store:
        store.queues()

        assert (tmp_path / name).exists()


def test_a_tilde_is_the_users_home_and_nobody_elses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)

    assert Place("~/jobs.db").path == tmp_path / "home" / "jobs.db"
    assert Place("~nobody-of-this-name/jobs.db").path == tmp_path / "~nobody-of-this-name" / "jobs.db"


def test_a_relative_path_stays_where_it_was_when_the_program_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with BlockingSqliteStore("jobs.db") as store:
        monkeypatch.chdir(tmp_path / "elsewhere")
        store.put_queues(["mine"])
        store.close()

        assert [queue.name for queue in store.queues()] == ["default", "mine", "system"]
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("name", ["directory", "loop", "no/jobs.db", "x" * 300])
def test_what_cannot_be_opened_is_an_error_of_ours(tmp_path: Path, name: str) -> None:
    (tmp_path / "directory").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")

    with BlockingSqliteStore(tmp_path / name) as store, pytest.raises(StoreUnavailable):
        store.queues()


def test_a_directory_is_said_to_be_one(tmp_path: Path) -> None:
    with BlockingSqliteStore(tmp_path) as store, pytest.raises(StoreUnavailable, match="is a directory") as refused:
        store.queues()

    assert str(tmp_path) in str(refused.value)


@pytest.mark.parametrize("name", ["", "a\0b"])
def test_a_name_that_cannot_be_is_refused(name: str) -> None:
    with pytest.raises(Invalid, match="path"):
        BlockingSqliteStore(name)


IN_MEMORY = """
import sys
from tests.client import BlockingSqliteStore

store = BlockingSqliteStore(":memory:")
store.queues()
print(store.path.parent, flush=True)
if sys.argv[1] == "wait":
    sys.stdin.read()
"""


def in_memory(task: str) -> tuple[subprocess.Popen[str], Path]:
    """A process with a private file, and where it is."""
    command = [sys.executable, "-c", IN_MEMORY, task]
    process = programs.start(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout
    return process, Path(process.stdout.readline().strip())


def test_a_memory_file_goes_with_the_process_that_never_closed_it() -> None:
    process, where = in_memory("leave")
    process.communicate()

    assert process.returncode == 0
    assert not where.exists()


def test_what_a_killed_process_left_in_memory_goes_with_the_next_one() -> None:
    process, where = in_memory("wait")
    alive, mine = in_memory("wait")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert where.exists()

    with BlockingSqliteStore(":memory:") as store:
        store.queues()

    assert not where.exists()
    assert mine.exists(), "whoever lives keeps its own"
    alive.communicate()
