"""The deadline of a worker's leases in shared memory: the supervisor moves it, the launcher and all keepers read it."""

from __future__ import annotations

import math
import mmap
import os
import tempfile
from pathlib import Path
from typing import Final

_NAME: Final = "jobplane-deadline"
_SIZE: Final = mmap.PAGESIZE


class SharedDeadline:
    """One number on the clock of `boot_time`, infinity at first. `descriptor` is for the launcher."""

    def __init__(self) -> None:
        self.descriptor = _make_file()
        os.ftruncate(self.descriptor, _SIZE)
        self._value = _map(self.descriptor, mmap.PROT_READ | mmap.PROT_WRITE)
        self.move(math.inf)

    def move(self, moment: float) -> None:
        """Keepers end their commands at this moment at the latest. Takes effect within a quarter of a second."""
        self._value[0] = moment  # one aligned store

    def close(self) -> None:
        """Close the descriptor, once."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


class ReadDeadline:
    """The same number, in a process that cannot move it. Closes the descriptor."""

    def __init__(self, descriptor: int) -> None:
        self._value = _map(descriptor, mmap.PROT_READ)
        os.close(descriptor)

    @property
    def moment(self) -> float:
        return self._value[0]


def _map(descriptor: int, access: int) -> memoryview[float]:
    return memoryview(mmap.mmap(descriptor, _SIZE, mmap.MAP_SHARED, access)).cast("d")


def _make_file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create(_NAME)
    descriptor, path = tempfile.mkstemp(prefix=_NAME)  # macOS
    Path(path).unlink()
    return descriptor
