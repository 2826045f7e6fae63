"""The board: what each slot of an executor runs and how much it has said, in memory that outlives it."""

from __future__ import annotations

import mmap
import os
import tempfile
from typing import Final

from jobplane.worker.frames import SLOT

SPARE_PLACES: Final = 48  # for attempts whose slots are free again and whose outcomes are not sent yet


class Board:
    """Two numbers in a place for each attempt, written by the executor and read here: the suspects after a SIGKILL."""

    def __init__(self, slots: int) -> None:
        self._places = slots + SPARE_PLACES
        size = 2 * self._places * SLOT.size
        self.descriptor = _memory(size)
        self._view = mmap.mmap(self.descriptor, size)

    def hand_over(self) -> None:
        """The executor has it: only the memory is needed from now on."""
        os.close(self.descriptor)

    def find_running(self) -> set[int]:
        """The seqs that run now, or ran when the executor died."""
        return self.count_lines().keys() - {0}

    def count_lines(self) -> dict[int, int]:
        """How many lines each of them has logged."""
        numbers = [number for (number,) in SLOT.iter_unpack(self._view)]
        return dict(zip(numbers[: self._places], numbers[self._places :], strict=True))

    def close(self) -> None:
        self._view.close()


def _memory(size: int) -> int:
    """A file without a name: in memory alone where the system can."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("jobplane-board")
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    os.ftruncate(descriptor, size)
    return descriptor
