"""The newest lines of a command that prints faster than its log can be stored."""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple

from jobplane.worker.frames import log_bytes

_LINES: Final = 200
_BYTES: Final = 64 * 1024


class Printed(NamedTuple):
    """One line: `at` in microseconds since 1970, `length` its bytes of output, `missing` those that are not shown."""

    at: int
    level: str
    message: str
    length: int
    missing: int

    @property
    def size(self) -> int:
        """The credit that it takes."""
        return log_bytes(self.message)


class Backlog:
    """Keeps the newest lines, and counts the older ones with their bytes."""

    def __init__(self) -> None:
        self._lines: deque[Printed] = deque()
        self._size = 0
        self.dropped_lines = 0
        self.dropped_bytes = 0
        self.dropped_at = 0

    def add(self, line: Printed) -> None:
        self._lines.append(line)
        self._size += line.size
        while len(self._lines) > _LINES or self._size > _BYTES:
            oldest = self._lines.popleft()
            self._size -= oldest.size
            self.skip(1, oldest.length, oldest.at)

    def skip(self, lines: int, length: int, at: int) -> None:
        """Count lines that are older than those that follow."""
        self.dropped_lines += lines
        self.dropped_bytes += length
        self.dropped_at = at

    def take(self) -> list[Printed]:
        """The newest lines."""
        lines, self._size = list(self._lines), 0
        self._lines.clear()
        return lines


def count_lines(count: int) -> str:
    return f"{count:,} {'line' if count == 1 else 'lines'}"
