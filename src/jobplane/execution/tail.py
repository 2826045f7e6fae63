"""The newest lines of an attempt that writes faster than its log can be stored."""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple

import orjson

from jobplane.core.logs import LogLevel

_LINES: Final = 200
_BYTES: Final = 64 * 1024


class Said(NamedTuple):
    """One line of an attempt: `at` in microseconds since 1970, `fields` as JSON, `size` what it costs of a bound."""

    at: int
    level: LogLevel
    message: str
    fields: bytes
    size: int


class Tail:
    """Keeps the newest lines and counts the older ones. Bounded by lines and bytes."""

    def __init__(self) -> None:
        self._lines: deque[Said] = deque()
        self._bytes = 0
        self._dropped = 0
        self._dropped_at = 0

    def __len__(self) -> int:
        """The lines that it was given, also those that it dropped."""
        return len(self._lines) + self._dropped

    def add(self, line: Said) -> None:
        self._lines.append(line)
        self._bytes += line.size
        while len(self._lines) > _LINES or self._bytes > _BYTES:
            oldest = self._lines.popleft()
            self._bytes -= oldest.size
            self._dropped += 1
            self._dropped_at = oldest.at

    def lines(self) -> list[Said]:
        """The newest lines. If older ones were dropped, a line in their place says how many."""
        return [self._mark(), *self._lines] if self._dropped else [*self._lines]

    def _mark(self) -> Said:
        count = self._dropped
        message = f"… {count:,} {'line' if count == 1 else 'lines'} dropped …"
        return Said(self._dropped_at, "warning", message, orjson.dumps({"lines_dropped": count}), 0)
