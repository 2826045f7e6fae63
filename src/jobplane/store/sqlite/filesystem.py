"""Where the file lies: never on a network filesystem, never under two names, and in memory if asked for."""

from __future__ import annotations

import os
import re
import stat
import tempfile
import weakref
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

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
        message = f"{path} lies on a network filesystem ({kind}), which would damage it. Put it on a local disk."
        raise StoreError(message, filesystem=kind)


def _is_network(kind: str) -> bool:
    in_user_space = kind == "fuse" or kind.startswith("fuse.")
    return kind in _NETWORK or (in_user_space and kind not in _LOCAL_FUSE)


def refuse_second_name(path: Path, mounts: Path = MOUNTS) -> None:
    """Raise where the file has another name: each name has its own write-ahead log, and they lose each other's jobs."""
    refuse_links(path)
    refuse_mount_point(path, mounts)


def refuse_links(path: Path) -> None:
    """Raise where the file has a second hard link."""
    try:
        found = path.stat()
    except OSError:  # it is not there yet, or SQLite says what is wrong
        return
    if stat.S_ISREG(found.st_mode) and found.st_nlink > 1:
        raise StoreError(
            f"{path} has {found.st_nlink} names (hard links). Each name has its own write-ahead log, and jobs would be"
            " lost. Keep one name of the file; to share it, share its directory.",
            links=found.st_nlink,
        )


def refuse_mount_point(path: Path, mounts: Path = MOUNTS) -> None:
    """Raise where the file itself was mounted: what it was mounted from is its other name."""
    real = Path(os.path.realpath(path))
    found = _mount(real, mounts)
    if found is not None and found.point == real and not real.is_dir():
        raise StoreError(
            f"{path} is a mount point, so the file has another name with its own write-ahead log, and jobs would be"
            " lost. Mount the directory instead of the file."
        )


@lru_cache(maxsize=64)
def refuse_lent_mount_point(path: Path) -> None:
    """The same for a connection that is lent for each call; the table of mounts is read once for each path."""
    refuse_mount_point(path)


def filesystem(path: Path, mounts: Path = MOUNTS) -> str | None:
    """The type of the filesystem that holds the file; None where none is known."""
    found = _mount(Path(os.path.realpath(path)), mounts)
    return None if found is None else found.kind


class _Mount(NamedTuple):
    point: Path
    kind: str


def _mount(where: Path, mounts: Path) -> _Mount | None:
    """The longest mount point at or above a path; a file may be one itself."""
    try:
        lines = mounts.read_bytes().splitlines()
    except OSError:
        return None
    found: _Mount | None = None
    for line in lines:
        front, _, back = line.partition(b" - ")
        point = Path(os.fsdecode(_ESCAPED.sub(lambda octal: bytes([int(octal[1], 8)]), front.split(b" ")[4])))
        if (where == point or point in where.parents) and (found is None or len(point.parts) >= len(found.point.parts)):
            found = _Mount(point, os.fsdecode(back.split()[0]))
    return found


def absolute(path: str | Path) -> str:
    """The path from the root, as it is from here now; `:memory:` stays what it is, and so does another user's home."""
    text = str(path)
    if not text or "\x00" in text:
        raise Invalid("The path of a SQLite file must not be empty or have a NUL character.")
    if text == MEMORY:
        return text
    return str((Path(text).expanduser() if text.startswith("~/") else Path(text)).absolute())


def _private(owner: Place) -> Path:
    """A directory of our own in shared memory, removed with its owner, by the process that made it alone."""
    home = _SHARED_MEMORY if os.access(_SHARED_MEMORY, os.W_OK) else Path(tempfile.gettempdir())
    directory, lock = scratch.make(home, _PREFIX)
    weakref.finalize(owner, scratch.remove, directory, lock, os.getpid())
    return directory
