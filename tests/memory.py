"""A directory for the run, in memory if there is room: a disk spends more on a database's files than the test does."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_GIVEN: Final = "JOBPLANE_TEST_MEMORY"
_PREFIX: Final = "jobplane-test-"
_SHARED: Final = Path("/dev/shm")
# With less the run goes to the disk: full memory would fail tests that have nothing to do with it.
_ROOM: Final = 4 << 30
_OLD_SECONDS: Final = 600.0


def directory() -> Path:
    """What the run's first process has taken for all of them."""
    return Path(os.environ[_GIVEN])


def runs_programs() -> bool:
    """Whether a test may start what it writes there: containers often mount shared memory without that right."""
    return not os.statvfs(directory()).f_flag & os.ST_NOEXEC


@contextmanager
def taken() -> Generator[None]:
    """Make the run's directory and name it to the processes of the run, which may not make their own."""
    shared = _SHARED if _SHARED.is_dir() and shutil.disk_usage(_SHARED).free > _ROOM else None
    if shared:
        _sweep(shared)
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=shared, ignore_cleanup_errors=True) as path, _held(Path(path)):
        os.environ[_GIVEN] = path
        yield


@contextmanager
def _held(path: Path) -> Generator[bool]:
    """Lock it for as long as this process lives, unless somebody else has; whether it worked."""
    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
    else:
        yield True
    finally:
        os.close(handle)


def _sweep(shared: Path) -> None:
    """Remove what killed runs have left: nobody holds it, and it is not being made just now."""
    for path in shared.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if path.stat().st_mtime < time.time() - _OLD_SECONDS:
                with _held(path) as ours:
                    if ours:
                        shutil.rmtree(path, ignore_errors=True)
