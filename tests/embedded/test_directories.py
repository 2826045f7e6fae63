"""Directories that hold something else, or that belong to someone else, are refused and left as they are."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest

from jobplane.embedded import EmbeddedError, UnsafeDirectory
from jobplane.embedded.account import server_account
from jobplane.embedded.cluster_place import enter
from jobplane.embedded.directories import prepare_socket_dir
from tests.embedded.conftest import Serve, ask, postmaster_pid

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give things away")


@pytest.fixture
def trap(data_dir: Path) -> Generator[Path]:
    """The socket directory, there before the server is."""
    trap = prepare_socket_dir(data_dir, server_account(data_dir))
    yield trap
    trap.unlink() if trap.is_symlink() else trap.rmdir()


def test_a_directory_with_something_else_is_untouched(serve: Serve, data_dir: Path) -> None:
    data_dir.mkdir(mode=0o755)
    (data_dir / "letter.txt").write_text("dear charlie")
    before = data_dir.stat()

    with pytest.raises(UnsafeDirectory, match=r'holds no PostgreSQL data but "letter\.txt"'):
        serve().start()

    after = data_dir.stat()
    assert (after.st_uid, after.st_mode, after.st_mtime) == (before.st_uid, before.st_mode, before.st_mtime)


def test_an_empty_directory_becomes_private(serve: Serve, data_dir: Path) -> None:
    data_dir.mkdir(mode=0o777)

    with serve() as server:
        assert ask(server.url("jobplane_app"), "select 1") == 1
    assert data_dir.stat().st_mode & 0o777 == 0o700


def test_a_cluster_that_jobplane_did_not_make_is_untouched(serve: Serve, template: Path, home: Path) -> None:
    programs = (template / "jobplane.binaries").read_text().splitlines()[1]
    account, theirs = server_account(template), home / "theirs"
    theirs.mkdir(mode=0o700)
    os.chown(theirs, account.uid, account.gid)
    with enter(theirs, account, 0) as place:
        place.run([f"{programs}/initdb", "-D", place.name, "--no-sync", "--auth=reject"])
    before = (theirs / "postgresql.conf").read_text()

    with pytest.raises(UnsafeDirectory, match="jobplane did not create"):
        serve(theirs).start()

    assert (theirs / "postgresql.conf").read_text() == before


def test_a_file_in_the_place_of_the_directory_is_refused(serve: Serve, data_dir: Path) -> None:
    data_dir.write_text("a file")

    with pytest.raises(UnsafeDirectory, match="not a directory"):
        serve().start()


def test_a_path_through_a_file_is_refused(serve: Serve, home: Path) -> None:
    (home / "file").touch()

    with pytest.raises(EmbeddedError, match="File exists"):
        serve(home / "file/data").start()


def test_a_socket_directory_that_is_open_to_others_is_refused(serve: Serve, data: Path, trap: Path) -> None:
    trap.chmod(0o777)

    with pytest.raises(UnsafeDirectory, match="open to other users"):
        serve().start()
    assert postmaster_pid(data) is None


def test_a_socket_directory_that_is_a_link_is_refused(serve: Serve, data: Path, home: Path, trap: Path) -> None:
    trap.rmdir()
    trap.symlink_to(home)

    with pytest.raises(UnsafeDirectory, match="not a directory"):
        serve().start()


@needs_root
def test_a_socket_directory_of_another_user_is_refused(serve: Serve, data: Path, trap: Path) -> None:
    os.chown(trap, 1, 1)

    with pytest.raises(UnsafeDirectory, match="belongs to user id 1"):
        serve().start()


@needs_root
def test_data_of_another_user_than_the_one_that_is_asked_for_are_refused(
    serve: Serve, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data_dir.mkdir()
    os.chown(data_dir, 1, 1)
    monkeypatch.setenv("JOBPLANE_EMBEDDED_USER", "nobody")

    with pytest.raises(UnsafeDirectory, match="belongs to user id 1, not to nobody"):
        serve().start()
    assert data_dir.stat().st_uid == 1


@needs_root
@pytest.mark.parametrize(
    "name", ["jobplane.lock", "jobplane.server", "jobplane.conf", "pg_ident.conf", "postmaster.pid"]
)
def test_root_writes_through_no_link_that_the_owner_of_the_data_has_laid(
    serve: Serve, data: Path, home: Path, name: str
) -> None:
    precious = home / "precious"
    precious.write_text("mine")
    (data / name).unlink(missing_ok=True)
    (data / name).symlink_to(precious)

    with suppress(EmbeddedError):
        serve().start()

    assert (precious.read_text(), precious.owner()) == ("mine", "root")
