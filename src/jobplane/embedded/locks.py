"""Three locks of the kernel on files in the data directory: to change the server, to use it, and its own.

A killed process drops its locks, and a forked child shares those of its parent until both have closed them; so locks
are never released or converted, only closed, and "is anyone left" is always asked with a newly opened file.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from jobplane.core.errors import StoreBusy
from jobplane.embedded.account import Account

CHANGING = "jobplane.lock"
USING = "jobplane.users"
SERVING = "jobplane.server"
PAUSE_SECONDS = 0.02


@contextmanager
def lock_exclusive(path: Path, account: Account, timeout_seconds: float, message: str) -> Generator[int]:
    """Hold the lock against all processes and threads; a child that inherits the descriptor holds it too."""
    descriptor = _open(path, account)
    try:
        deadline = time.monotonic() + timeout_seconds
        while not _try_exclusive(descriptor):
            if time.monotonic() > deadline:
                raise StoreBusy(
                    f"{path.parent}: {message} for {timeout_seconds:.0f} s. Try again.", path=str(path.parent)
                )
            time.sleep(PAUSE_SECONDS)
        yield descriptor
    finally:
        os.close(descriptor)


def lock_shared(path: Path, account: Account) -> int:
    """Share the lock until the descriptor is closed."""
    descriptor = _open(path, account)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    return descriptor


def is_free(path: Path, account: Account) -> bool:
    """Whether nobody holds the lock now."""
    descriptor = _open(path, account)
    try:
        return _try_exclusive(descriptor)
    finally:
        os.close(descriptor)


def _open(path: Path, account: Account) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    if account.is_other:
        os.fchown(descriptor, account.uid, account.gid)
    return descriptor


def _try_exclusive(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno == errno.EWOULDBLOCK:
            return False
        raise
    return True
