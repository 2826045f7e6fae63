"""A directory as the server's user gets to it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from jobplane.embedded.account import Account
from jobplane.embedded.errors import UnsafeDirectory

OPEN_FILES = Path("/proc/self/fd")


@dataclass(frozen=True, slots=True)
class ClusterPlace:
    """A cluster's directory; `name` is what its programs call it, `keep` what they must inherit."""

    path: Path
    account: Account
    name: str
    keep: tuple[int, ...]

    def run(self, command: Sequence[str], *, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run a program on this cluster to its end."""
        return self.account.run(command, stdin=stdin, keep=self.keep)


@contextmanager
def enter(path: Path, account: Account, lock: int) -> Generator[ClusterPlace]:
    """The programs that run there hold the lock too: it stays locked until the last one ends, even if we are killed."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield ClusterPlace(path, account, _name(path, account, descriptor), (descriptor, lock))
    finally:
        os.close(descriptor)


def _name(path: Path, account: Account, descriptor: int) -> str:
    """The path; where a parent (a home of mode 0700) bars the user, the open directory that its programs inherit."""
    # The server's lock file has one line for the path.
    if str(path).isprintable() and account.can_enter(path):
        return str(path)
    if not OPEN_FILES.is_dir():
        message = f"{account.name} cannot reach {path}. Give others access to its parent directories."
        raise UnsafeDirectory(message, path=str(path))
    return f"{OPEN_FILES}/{descriptor}"
