"""The board, as an executor writes it: outcomes there survive the process."""

from __future__ import annotations

from typing import Final

from jobplane.worker.frames import MARK, PLACE_BYTES, ROW_BYTES, ROW_SIZE

_MOST: Final = ROW_BYTES - ROW_SIZE.size


class Places:
    """One place for each attempt. Any thread may write to the place of its own attempt."""

    def __init__(self, shared: memoryview) -> None:
        self.count = count = shared.nbytes // PLACE_BYTES
        self._uses = shared[:count]
        self.lines = shared[count : 2 * count]
        self._rows = shared[2 * count :].cast("B")

    def begin(self, place: int, seq: int) -> None:
        """Call it before any code of the user runs, and that of a handler's types is some."""
        self._uses[place] = seq

    def succeed(self, place: int, seq: int) -> None:
        """The handler has returned a plain success."""
        self._uses[place] = -seq

    def end(self, place: int, seq: int, row: bytes) -> None:
        """The handler has ended in another way; an outcome that is too long is not kept."""
        if len(row) <= _MOST:
            start = place * ROW_BYTES
            self._rows[start : start + ROW_SIZE.size + len(row)] = ROW_SIZE.pack(len(row)) + row
            self._uses[place] = -MARK - seq

    def wipe(self, place: int, seq: int) -> None:
        """The outcome is sent."""
        self._uses[place] = MARK + seq
