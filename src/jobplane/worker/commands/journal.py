"""The log of a command: numbered lines, bounded by the credit and by the size of an attempt's log, sent in batches."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf
from typing import Any, Final

from jobplane.worker.commands.backlog import Backlog, Printed, count_lines
from jobplane.worker.commands.lines import Line, show_line
from jobplane.worker.frames import LogRow

CREDIT: Final = 256 * 1024  # bytes of log that may be under way, as for handlers
MAX_LOG: Final = 10 * 1024 * 1024  # bytes of output in the log of an attempt
BATCH: Final = 100
_SECONDS: Final = 1.0
_FOLLOWED_SECONDS: Final = 0.25
_FOLLOWED_FOR: Final = 5.0


class Journal:
    """`due_at` is when waiting rows are to be sent, on the monotonic clock."""

    def __init__(self, seq: int, send: Callable[[list[LogRow]], None]) -> None:
        self._seq = seq
        self._send = send
        self._rows: list[LogRow] = []
        self._credit = CREDIT
        self._line = 0
        self._logged = 0
        self._backlog: Backlog | None = None
        self._followed_until = 0.0
        self.due_at = inf
        self.lines_dropped = 0
        self.bytes_dropped = 0
        self._late = [0, 0]  # lines and bytes beyond the size of a log

    @property
    def is_behind(self) -> bool:
        """Whether only the newest of many lines can be kept."""
        return self._backlog is not None or self._is_full

    @property
    def _is_full(self) -> bool:
        return self._logged >= MAX_LOG

    def add(self, level: str, line: Line) -> None:
        """Add a line, or count it."""
        if self._is_full and self._backlog is None:
            self._count_late(1, line.length + 1)
            return
        message, missing = show_line(line)
        self._add(Printed(time.time_ns() // 1000, level, message, line.length + 1, missing))

    def skip(self, lines: int, length: int) -> None:
        """Count lines that were not read. At least as many as a backlog keeps follow."""
        if self._backlog is not None:
            self._backlog.skip(lines, length, time.time_ns() // 1000)
        else:
            self._count_late(lines, length)

    def grant(self, size: int) -> None:
        """So many bytes are stored. With half of the credit the lines that wait are sent."""
        self._credit = min(self._credit + size, CREDIT)
        if self._credit > CREDIT // 2:
            self._drain()

    def follow(self) -> None:
        """Somebody reads this log now: lines are sent sooner for a while."""
        self._followed_until = time.monotonic() + _FOLLOWED_FOR
        self.flush()

    def flush(self) -> None:
        """Send the rows that wait."""
        self.due_at = inf
        if self._rows:
            rows, self._rows = self._rows, []
            self._send(rows)

    def close(self) -> None:
        """Send all that is left, and a line about what was dropped because the log is full."""
        self._drain()
        lines, length = self._late
        if lines:
            self._drop(lines, length)
            shown = f"… {count_lines(lines)} with {length:,} bytes dropped: the log of an attempt may have 10 MiB …"
            self._append(time.time_ns() // 1000, "warning", shown, {"lines_dropped": lines, "bytes_dropped": length})
        self.flush()

    def _add(self, line: Printed) -> None:
        if self._backlog is None and line.size <= self._credit:
            self._keep(line)
            return
        backlog = self._backlog = self._backlog or Backlog()
        backlog.add(line)

    def _drain(self) -> None:
        """Send the newest lines beyond the credit, after a line in the place of those that were dropped."""
        backlog, self._backlog = self._backlog, None
        if backlog is None:
            return
        lines = backlog.take()
        if dropped := backlog.dropped_lines:
            self._drop(dropped, backlog.dropped_bytes)
            facts = {"lines_dropped": dropped}
            self._append(backlog.dropped_at, "warning", f"… {count_lines(dropped)} dropped …", facts)
        for line in lines:
            self._keep(line)

    def _keep(self, line: Printed) -> None:
        self._credit -= line.size
        self._logged += line.length
        self.bytes_dropped += line.missing
        self._append(line.at, line.level, line.message, None)

    def _append(self, at: int, level: str, message: str, fields: dict[str, Any] | None) -> None:
        self._line += 1
        self._rows.append((self._seq, self._line, at, level, message, fields))
        now = time.monotonic()
        if len(self._rows) >= BATCH:
            self.flush()
        elif self.due_at == inf:
            self.due_at = now + (_FOLLOWED_SECONDS if now < self._followed_until else _SECONDS)

    def _count_late(self, lines: int, length: int) -> None:
        self._late[0] += lines
        self._late[1] += length

    def _drop(self, lines: int, length: int) -> None:
        self.lines_dropped += lines
        self.bytes_dropped += length
