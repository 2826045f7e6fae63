"""The log of an attempt that runs in place, on its way to the store."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final, cast

import orjson

from jobplane.core.leases import Lease
from jobplane.core.logs import LogLevel, NewLogLine
from jobplane.core.model import Json
from jobplane.execution.attempt_secrets import AttemptSecrets
from jobplane.execution.output import PartialLines, cut, encode_fields
from jobplane.execution.tail import Said, Tail

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_BYTES: Final = 256 * 1024  # that wait to be stored, beside the newest lines


class Book:
    """Numbers lines in order, from whichever thread they come; bounded."""

    def __init__(self, lease: Lease, secrets: AttemptSecrets) -> None:
        self._lease = lease
        self._secrets = secrets
        self._lock = threading.Lock()
        self._lines: list[NewLogLine] = []
        self._begun = PartialLines()
        self._count = 0
        self._bytes = 0
        self._tail = Tail()

    def add(self, level: LogLevel, message: str, fields: Mapping[str, object]) -> None:
        masker = self._secrets.masker
        shown, said = cut(message, masker), encode_fields(fields, masker) if fields else b""
        line = Said(time.time_ns() // 1000, level, shown, said, len(shown) + len(said))
        with self._lock:
            if self._bytes > _MOST_BYTES:
                self._tail.add(line)
                return
            self._bytes += line.size
            self._write(line)

    def keep_output(self, level: LogLevel, text: str) -> None:
        """A line for each that is whole, the rest waits for its end."""
        for line in self._begun.whole(level, text, self._secrets.masker):
            self.add(level, line, {})

    def take(self) -> list[NewLogLine]:
        """Take the lines that are to be stored now, with a mark where lines were dropped."""
        if not self._lines:
            return []
        with self._lock:
            for line in self._tail.lines():
                self._write(line)
            lines, self._lines, self._bytes, self._tail = self._lines, [], 0, Tail()
        return lines

    def close(self) -> list[NewLogLine]:
        """The rest: what it has begun to print is a line now."""
        for level, rest in self._begun.rest():
            self.add(level, rest, {})
        return self.take()

    def _write(self, line: Said) -> None:
        self._count += 1
        at = _EPOCH + timedelta(microseconds=line.at)
        fields = cast("dict[str, Json]", orjson.loads(line.fields)) if line.fields else None
        self._lines.append(NewLogLine(self._lease, self._count, at, line.level, line.message, fields))
