"""Where the file lies: never on a network filesystem, whose locks cannot be trusted, and in memory if asked for."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Final

from jobplane.core.errors import Invalid, StoreError

MEMORY: Final = ":memory:"
MOUNTS: Final = Path("/proc/self/mountinfo")
_SHARED_MEMORY: Final = Path("/dev/shm")  # noqa: S108 a directory of our own is made in it, mode 0700
_NETWORK: Final = frozenset(
    {
        *("9p", "afs", "beegfs", "ceph", "cifs", "coda", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4"),
        *("ocfs2", "orangefs", "smb2", "smb3", "smbfs"),
        *(f"fuse.{kind}" for kind in ("ceph", "davfs2", "glusterfs", "rclone", "s3fs", "sshfs")),
    }
)


class Place:
    """A path to open. A private one, for `:memory:`, goes with whoever holds this."""

    def __init__(self, path: str | Path, *, mounts: Path = MOUNTS) -> None:
        self.private = str(path) == MEMORY
        self.path = Path(_private(self)) / "jobplane.db" if self.private else _absolute(path)
        refuse_network(self.path, mounts)


def refuse_network(path: Path, mounts: Path = MOUNTS) -> None:
    """Raise where the file would lie on a filesystem whose locks and shared memory do not reach every process."""
    kind = filesystem(path, mounts)
    if kind in _NETWORK:
        message = f"{path} lies on a network filesystem ({kind}), which would damage it: put it on a local disk."
        raise StoreError(message, filesystem=kind)


def filesystem(path: Path, mounts: Path = MOUNTS) -> str | None:
    """The type of the filesystem that holds the path, by the longest mount point above it; None where none is known."""
    try:
        lines = mounts.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return None
    where = path.parent.resolve()
    found: tuple[int, str] | None = None
    for line in lines:
        front, _, back = line.partition(" - ")
        point = Path(front.split()[4].encode().decode("unicode_escape"))
        if (where == point or point in where.parents) and (found is None or len(point.parts) >= found[0]):
            found = len(point.parts), back.split()[0]
    return None if found is None else found[1]


def _absolute(path: str | Path) -> Path:
    if not str(path) or "\x00" in str(path):
        raise Invalid("the path of a SQLite file may not be empty, nor have a NUL character")
    return Path(path).expanduser().absolute()


def _private(owner: Place) -> str:
    """A directory of our own in shared memory, removed with its owner, by the process that made it alone."""
    home = _SHARED_MEMORY if os.access(_SHARED_MEMORY, os.W_OK) else None
    directory = tempfile.mkdtemp(prefix="jobplane-", dir=home)
    weakref.finalize(owner, _remove, directory, os.getpid())
    return directory


def _remove(directory: str, pid: int) -> None:
    if os.getpid() == pid:
        shutil.rmtree(directory, ignore_errors=True)
