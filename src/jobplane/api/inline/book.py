"""The log of an attempt that runs in place, on its way to the store."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final, cast

import orjson

from jobplane.core.leases import Lease
from jobplane.core.logs import LogLevel, NewLogLine
from jobplane.core.model import Json
from jobplane.execution.output import PartialLines, cut, encode_fields

_MOST_BYTES: Final = 256 * 1024  # that wait to be stored; what comes beyond is counted


class Book:
    """Numbers lines in order, from whichever thread they come; bounded."""

    def __init__(self, lease: Lease) -> None:
        self._lease = lease
        self._lock = threading.Lock()
        self._lines: list[NewLogLine] = []
        self._begun = PartialLines()
        self._count = 0
        self._bytes = 0
        self._dropped = 0

    def add(self, level: LogLevel, message: str, fields: Mapping[str, object]) -> None:
        shown, said = cut(message), encode_fields(fields) if fields else b""
        with self._lock:
            if self._bytes > _MOST_BYTES:
                self._dropped += 1
                return
            self._bytes += len(shown) + len(said)
            self._write(level, shown, cast("dict[str, Json]", orjson.loads(said)) if said else None)

    def keep_output(self, level: LogLevel, text: str) -> None:
        """A line for each that is whole, the rest waits for its end."""
        for line in self._begun.whole(level, text):
            self.add(level, line, {})

    def take(self) -> list[NewLogLine]:
        """What is to be stored now, with a mark where lines were dropped."""
        if not self._lines:
            return []
        with self._lock:
            if self._dropped:
                self._write("warning", f"{self._dropped} lines dropped", {"lines_dropped": self._dropped})
            lines, self._lines, self._bytes, self._dropped = self._lines, [], 0, 0
        return lines

    def close(self) -> list[NewLogLine]:
        """The rest: what it has begun to print is a line now."""
        for level, rest in self._begun.rest():
            self.add(level, rest, {})
        return self.take()

    def _write(self, level: LogLevel, message: str, fields: dict[str, Json] | None) -> None:
        self._count += 1
        self._lines.append(NewLogLine(self._lease, self._count, datetime.now(UTC), level, message, fields))
