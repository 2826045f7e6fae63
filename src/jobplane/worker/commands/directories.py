"""Working directories: parent/<launcher>/<command>. Everything goes by descriptors, so no link leads outside."""

from __future__ import annotations

import fcntl
import os
import re
import stat
import sys
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_LOCK: Final = ".lock"
_OURS: Final = re.compile(r"jobplane-[0-9a-f]{16}")
_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PATIENCE: Final = 20  # passes over a directory that does not get empty


class UnsafeDirectory(OSError):
    """Others could replace what is in this directory."""


class LauncherDirectory:
    """The directory of one launcher in a parent. It is locked as long as the launcher or one of its keepers lives."""

    def __init__(self, parent: str) -> None:
        self._parent = _open_parent(parent)
        try:
            self.name, self.descriptor, self._lock = _make_own(self._parent)
        except BaseException:
            os.close(self._parent)
            raise

    @property
    def is_there(self) -> bool:
        """Whether nobody has removed it."""
        return _is_linked(self.descriptor)

    def remove_left_behind(self) -> None:
        """Remove the directories of launchers that are gone, with all their keepers."""
        for name in _list_names(self._parent):
            if _OURS.fullmatch(name) and name != self.name:
                with suppress(OSError):
                    _remove_if_unlocked(self._parent, name)

    def close(self) -> None:
        """Remove it; a directory of a command that could not be removed stays for a later launcher."""
        with suppress(OSError):
            if _list_names(self.descriptor) == [_LOCK]:
                os.unlink(_LOCK, dir_fd=self.descriptor)
                os.rmdir(self.name, dir_fd=self._parent)


def make_directory(place: int, name: str, files: Mapping[str, bytes], owner: tuple[int, int] | None) -> int:
    """Make the working directory of a command, with files that only its user can read. Returns its descriptor."""
    if name != Path(name).name or name in ("", ".", ".."):
        raise ValueError(f"{name!r} is no name for a directory.")
    try:
        os.mkdir(name, 0o700, dir_fd=place)
    except FileExistsError:
        remove_tree(place, name)
        os.mkdir(name, 0o700, dir_fd=place)
    directory = os.open(name, _DIRECTORY, dir_fd=place)
    for file, content in files.items():
        with _created(directory, file) as descriptor:
            _write_all(descriptor, content)
            if owner is not None:
                os.fchown(descriptor, *owner)
    if owner is not None:
        os.fchown(directory, *owner)
    return directory


def remove_tree(place: int, name: str) -> None:
    """Remove a directory and all that is in it, whatever its modes. Raises OSError if something cannot be removed.

    Directories are moved up first, so the depth costs nothing.
    """
    waiting, count = [name], 0
    while waiting:
        each = waiting.pop()
        with _opened(place, each) as directory:
            for entry in _empty(directory):
                count += 1
                moved = f".{name}.{count}"
                _make_accessible(directory, entry)
                os.rename(entry, moved, src_dir_fd=directory, dst_dir_fd=place)
                waiting.append(moved)
        os.rmdir(each, dir_fd=place)


def _empty(directory: int) -> Iterator[str]:
    """Remove the files of a directory, and yield the directories in it, which the caller must move away."""
    for _ in range(_PATIENCE):  # a file system may skip entries while others are removed
        is_empty = True
        with os.scandir(directory) as entries:
            for entry in entries:
                is_empty = False
                if entry.is_dir(follow_symlinks=False):
                    yield entry.name
                else:
                    with suppress(FileNotFoundError):
                        os.unlink(entry.name, dir_fd=directory)
        if is_empty:
            return


@contextmanager
def _opened(place: int, name: str) -> Generator[int]:
    try:
        descriptor = os.open(name, _DIRECTORY, dir_fd=place)
    except PermissionError:
        _make_accessible(place, name)
        descriptor = os.open(name, _DIRECTORY, dir_fd=place)
    try:
        if stat.S_IMODE(os.fstat(descriptor).st_mode) & 0o700 != 0o700:
            os.fchmod(descriptor, 0o700)
        yield descriptor
    finally:
        os.close(descriptor)


def _make_accessible(place: int, name: str) -> None:
    """Let its owner read and change a directory, and never follow a link. Root needs no such thing."""
    if os.geteuid() == 0 or sys.platform != "linux":
        return
    descriptor = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place)
    try:
        Path(f"/proc/self/fd/{descriptor}").chmod(0o700)
    finally:
        os.close(descriptor)


@contextmanager
def _created(directory: int, name: str) -> Generator[int]:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(name, flags, 0o600, dir_fd=directory)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _open_parent(path: str) -> int:
    """Open the parent, made if it is missing. Nobody else may replace what is in it."""
    if not Path(path).is_dir():
        before = os.umask(0o022)
        try:
            Path(path).mkdir(0o711, parents=True, exist_ok=True)
        finally:
            os.umask(before)
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    found = os.fstat(descriptor)
    is_shared = found.st_mode & 0o022 and not found.st_mode & stat.S_ISVTX
    if found.st_uid not in (0, os.geteuid()) or is_shared:
        os.close(descriptor)
        raise UnsafeDirectory(f"{path} must belong to root or to the worker's user, and others may not write to it.")
    return descriptor


def _make_own(parent: int) -> tuple[str, int, int]:
    """Make a directory and lock it. Another launcher that takes it for left behind may remove it before: then again."""
    while True:
        name = f"jobplane-{os.urandom(8).hex()}"
        os.mkdir(name, 0o711, dir_fd=parent)
        with suppress(FileNotFoundError, BlockingIOError):
            directory = os.open(name, _DIRECTORY, dir_fd=parent)
            os.fchmod(directory, 0o711)
            lock = os.open(_LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=directory)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_linked(lock):
                return name, directory, lock


def _is_linked(descriptor: int) -> bool:
    return os.fstat(descriptor).st_nlink > 0


def _remove_if_unlocked(parent: int, name: str) -> None:
    directory = os.open(name, _DIRECTORY, dir_fd=parent)
    try:
        if os.fstat(directory).st_uid != os.geteuid():
            return
        lock = os.open(_LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=directory)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for each in _list_names(directory):
                if each != _LOCK:
                    remove_tree(directory, each)
            os.unlink(_LOCK, dir_fd=directory)
            os.rmdir(name, dir_fd=parent)
        finally:
            os.close(lock)
    finally:
        os.close(directory)


def _list_names(directory: int) -> list[str]:
    with os.scandir(directory) as entries:
        return [entry.name for entry in entries]
