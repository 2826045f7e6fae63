"""The executor's side of the board: outcomes that are written there survive the process."""

from __future__ import annotations

from typing import Final

from jobplane.worker.frames import MARK, PLACE_BYTES, ROW_BYTES, ROW_SIZE

_MOST: Final = ROW_BYTES - ROW_SIZE.size


class Places:
    """One place for each attempt. Any thread may write to the place of its own attempt.

    `uses` and `lines` are written without a method call: a job that does nothing takes ten microseconds in all.
    """

    def __init__(self, shared: memoryview) -> None:
        self.count = count = shared.nbytes // PLACE_BYTES
        self.uses = shared[:count]
        self.lines = shared[count : 2 * count]
        self._rows = shared[2 * count :].cast("B")

    def keep(self, place: int, seq: int, row: bytes) -> None:
        """Write an outcome that is more than a plain success to the board, unless it is too long."""
        if len(row) <= _MOST:
            start = place * ROW_BYTES
            self._rows[start : start + ROW_SIZE.size + len(row)] = ROW_SIZE.pack(len(row)) + row
            self.uses[place] = -MARK - seq
