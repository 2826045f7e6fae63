"""The board: the attempts of an executor and their numbers of log lines, in shared memory that outlives it."""

from __future__ import annotations

import fcntl
import mmap
import os
import tempfile
from typing import Final, NamedTuple

from jobplane.worker.frames import SENT, SLOT

SPARE_PLACES: Final = 48  # for attempts whose slots are free again and whose outcomes are not sent yet


class Noted(NamedTuple):
    """The seqs on a board: running, returned with a plain success that was not sent, and those whose outcome was."""

    running: frozenset[int]
    returned: frozenset[int]
    sent: frozenset[int]


class Board:
    """Two numbers for each attempt, written by the executor and read by the supervisor, also after a SIGKILL."""

    def __init__(self, slots: int) -> None:
        self._places = slots + SPARE_PLACES
        size = 2 * self._places * SLOT.size
        self.descriptor = _memory(size)
        self._view = mmap.mmap(self.descriptor, size)

    def hand_over(self) -> None:
        """The executor has it: only the memory is needed from now on."""
        os.close(self.descriptor)

    def read(self) -> Noted:
        """The attempts as they are now, or were when the executor died."""
        noted = self._numbers()[: self._places]
        return Noted(
            frozenset(number for number in noted if 0 < number < SENT),
            frozenset(-number for number in noted if number < 0),
            frozenset(number - SENT for number in noted if number > SENT),
        )

    def count_lines(self) -> dict[int, int]:
        """How many lines each attempt has logged whose outcome was not sent."""
        numbers = self._numbers()
        noted = zip(numbers[: self._places], numbers[self._places :], strict=True)
        return {abs(number): lines for number, lines in noted if number and number < SENT}

    def _numbers(self) -> list[int]:
        return [number for (number,) in SLOT.iter_unpack(self._view)]

    def close(self) -> None:
        self._view.close()


def _memory(size: int) -> int:
    """A file without a name, in memory alone and of fixed size where the system can: to read past its end is fatal."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("jobplane-board", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(descriptor, size)
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
        return descriptor
    with tempfile.TemporaryFile() as file:
        descriptor = os.dup(file.fileno())
    os.ftruncate(descriptor, size)
    return descriptor
