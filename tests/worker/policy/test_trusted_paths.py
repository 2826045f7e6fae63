"""A path is trusted where nobody but root and the worker's user can change what it leads to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jobplane.execution.trusted_paths import Untrusted, open_trusted, resolve_trusted
from tests.worker.policy.users import OTHER, being, needs_root, open_directory


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A directory in a directory."""
    path = tmp_path / "outer" / "inner"
    path.mkdir(parents=True)
    (path / "file").write_text("text")
    return path


def read(path: Path) -> bytes:
    descriptor = open_trusted(path)
    try:
        return os.read(descriptor, 100)
    finally:
        os.close(descriptor)


def test_a_file_of_our_own_is_opened(home: Path) -> None:
    assert read(home / "file") == b"text"
    descriptor = open_trusted(home / "file")
    assert not os.get_inheritable(descriptor)
    os.close(descriptor)


@pytest.mark.parametrize("mode", [0o020, 0o002])
@pytest.mark.parametrize("part", ["file", ".", ".."])
def test_nothing_on_the_way_may_be_written_to_by_others(home: Path, part: str, mode: int) -> None:
    changed = home / part
    changed.chmod(changed.stat().st_mode | mode)

    with pytest.raises(Untrusted, match=rf"may write to {changed.resolve()} \(mode .*chmod go-w {changed.resolve()}"):
        read(home / "file")


@needs_root
@pytest.mark.parametrize("part", ["file", ".", ".."])
def test_everything_on_the_way_belongs_to_root_or_to_us(home: Path, part: str) -> None:
    os.chown(home / part, OTHER.pw_uid, OTHER.pw_gid)

    with pytest.raises(Untrusted, match=rf"{(home / part).resolve()} belongs to nobody\. It must belong to root"):
        read(home / "file")


@needs_root
def test_a_worker_that_is_not_root_accepts_its_own_files_and_those_of_root() -> None:
    with open_directory() as home:
        for name, owner in {"own": OTHER.pw_uid, "roots": 0, "daemons": 1}.items():
            (home / name).write_text(name)
            os.chown(home / name, owner, owner)

        with being(OTHER.pw_uid):
            assert (read(home / "own"), read(home / "roots")) == (b"own", b"roots")
            with pytest.raises(Untrusted, match=r"daemons belongs to daemon\. It must belong to root or nobody"):
                read(home / "daemons")


def test_a_sticky_directory_is_accepted_above_what_is_ours(home: Path) -> None:
    home.parent.chmod(0o1777)

    assert read(home / "file") == b"text"


@needs_root
def test_in_a_sticky_directory_what_belongs_to_others_is_refused(home: Path) -> None:
    home.parent.chmod(0o1777)
    os.chown(home, OTHER.pw_uid, OTHER.pw_gid)

    with pytest.raises(Untrusted, match="inner belongs to nobody"):
        read(home / "file")


def test_a_sticky_file_is_no_sticky_directory(home: Path) -> None:
    (home / "file").chmod(0o1666)

    with pytest.raises(Untrusted, match="may write to"):
        read(home / "file")


@pytest.mark.parametrize("target", ["../outer/inner/file", "{home}/file", "inner/./file"])
def test_links_are_followed(home: Path, target: str) -> None:
    link = home.parent / "link"
    link.symlink_to(target.format(home=home))

    assert read(link) == b"text"
    assert resolve_trusted(link) == home / "file"


def test_the_directories_behind_a_link_are_judged_too(home: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(home)
    home.parent.chmod(0o777)

    with pytest.raises(Untrusted, match=f"may write to {home.parent} "):
        read(tmp_path / "link" / "file")


def test_the_directory_of_a_link_is_judged_too(home: Path, tmp_path: Path) -> None:
    door = tmp_path / "door"
    door.mkdir()
    door.chmod(0o777)
    (door / "link").symlink_to(home / "file")

    with pytest.raises(Untrusted, match=f"may write to {door} "):
        read(door / "link")


@needs_root
def test_a_link_of_somebody_else_is_refused(home: Path) -> None:
    home.parent.chmod(0o1777)
    link = home.parent / "link"
    link.symlink_to(home / "file")
    os.lchown(link, OTHER.pw_uid, OTHER.pw_gid)

    with pytest.raises(Untrusted, match="link belongs to nobody"):
        read(link)


def test_links_in_a_circle_end(home: Path) -> None:
    (home / "a").symlink_to("b")
    (home / "b").symlink_to("a")

    with pytest.raises(Untrusted, match="more than 40 symbolic links"):
        read(home / "a")


def test_a_path_that_goes_up_is_read_as_the_kernel_reads_it(home: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(home)

    assert resolve_trusted(tmp_path / "link" / ".." / "inner" / "file") == home / "file"


@pytest.mark.parametrize("kind", ["directory", "fifo"])
def test_only_a_regular_file_is_opened(home: Path, kind: str) -> None:
    path = home / kind
    path.mkdir(mode=0o755) if kind == "directory" else os.mkfifo(path, 0o644)

    with pytest.raises(Untrusted, match=f"{kind} is no regular file"):
        open_trusted(path)


def test_a_file_that_is_not_there_is_an_error_of_the_system(home: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_trusted(home / "nothing")
