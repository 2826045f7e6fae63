"""A directory of our own for a while; what a killed process left behind goes with the next one that asks.

Who lives holds a lock on its directory, which the kernel takes back whatever the end.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_OPEN: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def make(home: Path, prefix: str) -> tuple[Path, int]:
    """A new directory, mode 0700, and the lock that says that somebody uses it."""
    _sweep(home, prefix)
    while True:
        path = Path(tempfile.mkdtemp(prefix=prefix, dir=home))
        with suppress(FileNotFoundError):  # another's sweep came before the lock
            lock = os.open(path, _OPEN)
            if _lock(lock) is not False and path.exists():
                return path, lock
            os.close(lock)


def remove(path: Path, lock: int, pid: int) -> None:
    """Only the process that made it removes it; a child of it has the same lock, and lets it go."""
    if os.getpid() == pid:
        shutil.rmtree(path, ignore_errors=True)
    os.close(lock)


@contextmanager
def make_for_block(home: Path, prefix: str) -> Generator[Path]:
    """A directory for one block."""
    path, lock = make(home, prefix)
    try:
        yield path
    finally:
        remove(path, lock, os.getpid())


def _sweep(home: Path, prefix: str) -> None:
    for path in home.glob(prefix + "*"):
        with suppress(OSError):
            lock = os.open(path, _OPEN)
            try:
                if os.fstat(lock).st_uid == os.geteuid() and _lock(lock):
                    shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(lock)


def _lock(directory: int) -> bool | None:
    """Whether the lock is ours now; None where the filesystem has none."""
    try:
        fcntl.flock(directory, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True
