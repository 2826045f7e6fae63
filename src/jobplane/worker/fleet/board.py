"""The board: shared memory with the attempts of an executor and their outcomes. It survives the executor."""

from __future__ import annotations

import fcntl
import mmap
import os
import tempfile
from typing import Final, NamedTuple

from jobplane.worker.frames import MARK, PLACE_BYTES, ROW_BYTES, ROW_SIZE, SLOT

SPARE_PLACES: Final = 48  # for attempts whose slots are free again and whose outcomes are not sent yet


class Noted(NamedTuple):
    """The seqs on a board: running, ended with an outcome that was not sent, and those whose outcome was.

    An outcome is the JSON of an EndedRow, or None for a plain success.
    """

    running: frozenset[int]
    ended: dict[int, bytes | None]
    sent: frozenset[int]


class Board:
    """Is written by the executor and read by the supervisor, also after a SIGKILL."""

    def __init__(self, slots: int) -> None:
        self._places = slots + SPARE_PLACES
        size = self._places * PLACE_BYTES
        self.descriptor = _memory(size)
        self._view = mmap.mmap(self.descriptor, size)

    def hand_over(self) -> None:
        """Close the descriptor once the executor has it. The mapped memory stays."""
        os.close(self.descriptor)

    def read(self) -> Noted:
        """The attempts as they are now, or were when the executor died."""
        uses = self._numbers(0)
        ended: dict[int, bytes | None] = {-use: None for use in uses if -MARK < use < 0}
        ended |= {-use - MARK: self._row(place) for place, use in enumerate(uses) if use < -MARK}
        return Noted(
            frozenset(use for use in uses if 0 < use < MARK), ended, frozenset(use - MARK for use in uses if use > MARK)
        )

    def count_lines(self) -> dict[int, int]:
        """The number of log lines of each attempt whose outcome was not sent."""
        noted = zip(self._numbers(0), self._numbers(1), strict=True)
        return {abs(use) % MARK: lines for use, lines in noted if use and use < MARK}

    def _numbers(self, part: int) -> list[int]:
        size = self._places * SLOT.size
        return [number for (number,) in SLOT.iter_unpack(self._view[part * size : (part + 1) * size])]

    def _row(self, place: int) -> bytes:
        start = 2 * self._places * SLOT.size + place * ROW_BYTES
        (size,) = ROW_SIZE.unpack_from(self._view, start)
        return self._view[start + ROW_SIZE.size : start + ROW_SIZE.size + min(size, ROW_BYTES)]

    def close(self) -> None:
        self._view.close()


def _memory(size: int) -> int:
    """An unnamed file, in memory and of fixed size if the system allows it: a read past its end would be fatal."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("jobplane-board", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(descriptor, size)
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
        return descriptor
    with tempfile.TemporaryFile() as file:
        descriptor = os.dup(file.fileno())
    os.ftruncate(descriptor, size)
    return descriptor
