"""Where the file lies: never on a network filesystem, whose locks cannot be trusted, and in memory if asked for."""

from __future__ import annotations

import os
import re
import tempfile
import weakref
from pathlib import Path
from typing import Final

from jobplane.core.errors import Invalid, StoreError
from jobplane.store.sqlite import scratch

MEMORY: Final = ":memory:"
MOUNTS: Final = Path("/proc/self/mountinfo")
_SHARED_MEMORY: Final = Path("/dev/shm")  # noqa: S108 a directory of our own is made in it, mode 0700
_PREFIX: Final = "jobplane-memory-"
_NETWORK: Final = frozenset(
    {
        *("9p", "afs", "beegfs", "ceph", "cifs", "coda", "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4"),
        *("ocfs2", "orangefs", "prl_fs", "smb2", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs"),
    }
)
# A filesystem in user space is taken for a network's, but for those that lie on a local one.
_LOCAL_FUSE: Final = frozenset(f"fuse.{kind}" for kind in ("bindfs", "encfs", "fuse-overlayfs", "gocryptfs"))
_ESCAPED: Final = re.compile(rb"\\([0-7]{3})")


class Place:
    """A path to open. A private one, for `:memory:`, goes with whoever holds this."""

    def __init__(self, path: str | Path, *, mounts: Path = MOUNTS) -> None:
        self.private = str(path) == MEMORY
        self.path = _private(self) / "jobplane.db" if self.private else Path(absolute(path))
        refuse_network(self.path, mounts)


def refuse_network(path: Path, mounts: Path = MOUNTS) -> None:
    """Raise where the file would lie on a filesystem whose locks and shared memory do not reach every process."""
    kind = filesystem(path, mounts)
    if kind is not None and _is_network(kind):
        message = f"{path} lies on a network filesystem ({kind}), which would damage it: put it on a local disk."
        raise StoreError(message, filesystem=kind)


def _is_network(kind: str) -> bool:
    in_user_space = kind == "fuse" or kind.startswith("fuse.")
    return kind in _NETWORK or (in_user_space and kind not in _LOCAL_FUSE)


def filesystem(path: Path, mounts: Path = MOUNTS) -> str | None:
    """The type of the filesystem that holds the path, by the longest mount point above it; None where none is known."""
    try:
        lines = mounts.read_bytes().splitlines()
    except OSError:
        return None
    where = Path(os.path.realpath(path)).parent
    found: tuple[int, str] | None = None
    for line in lines:
        front, _, back = line.partition(b" - ")
        point = Path(os.fsdecode(_ESCAPED.sub(lambda octal: bytes([int(octal[1], 8)]), front.split(b" ")[4])))
        if (where == point or point in where.parents) and (found is None or len(point.parts) >= found[0]):
            found = len(point.parts), os.fsdecode(back.split()[0])
    return None if found is None else found[1]


def absolute(path: str | Path) -> str:
    """The path from the root, as it is from here now; `:memory:` stays what it is, and so does another user's home."""
    text = str(path)
    if not text or "\x00" in text:
        raise Invalid("the path of a SQLite file may not be empty, nor have a NUL character")
    if text == MEMORY:
        return text
    return str((Path(text).expanduser() if text.startswith("~/") else Path(text)).absolute())


def _private(owner: Place) -> Path:
    """A directory of our own in shared memory, removed with its owner, by the process that made it alone."""
    home = _SHARED_MEMORY if os.access(_SHARED_MEMORY, os.W_OK) else Path(tempfile.gettempdir())
    directory, lock = scratch.make(home, _PREFIX)
    weakref.finalize(owner, scratch.remove, directory, lock, os.getpid())
    return directory
