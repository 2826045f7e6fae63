"""The logs of attempts: numbered in order, bounded by each job's credit, sent in batches."""

from __future__ import annotations

import asyncio
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from contextvars import Context
from typing import TYPE_CHECKING, Final

import orjson

from jobplane.core.logs import LogLevel
from jobplane.execution.output import PartialLines, cut, encode_fields
from jobplane.execution.tail import Said, Tail
from jobplane.worker.executor import interrupts
from jobplane.worker.executor.assignment import CREDIT, Assignment
from jobplane.worker.executor.forks import is_fork
from jobplane.worker.frames import Kind, log_bytes

if TYPE_CHECKING:
    from jobplane.worker.executor.outbox import Outbox

Row = tuple[int, int, int, str, str, "orjson.Fragment | None"]
Tell = Callable[[Assignment, LogLevel, str, bytes], None]  # fields as JSON

_ORDER: Final[tuple[LogLevel, ...]] = ("debug", "info", "warning", "error")
_LINES: Final = 100
_SECONDS: Final = 1.0
_FOLLOWED_SECONDS: Final = 0.25
_FOLLOWED_FOR: Final = 5.0


class JobLogs:
    """Takes lines from any thread. `tell` writes each line to the log of the process, too, from `level` on.

    `counts` is the part of the board with the number of lines of each attempt; it survives the process. The log of a
    job has all lines from info on, whatever the level of the worker, and debug if that is the worker's level. Lines of
    a fork are in the log of the process only: the board and the socket are its parent's.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, outbox: Outbox, counts: memoryview, level: str, tell: Tell
    ) -> None:
        self.rows: list[Row] = []
        self._loop = loop
        self._outbox = outbox
        self._counts = counts
        self._kept = frozenset(_ORDER if level == "debug" else _ORDER[1:])
        self._told = frozenset(_ORDER[_ORDER.index(level) :] if level in _ORDER else _ORDER[1:])
        self._tell = tell
        self._lock = threading.Lock()
        self._waiting = False
        self._followed: dict[int, float] = {}
        self._base = Context()

    def add_line(
        self,
        attempt: Assignment,
        level: LogLevel,
        message: str,
        fields: Mapping[str, object],
        *,
        exc_info: bool = False,
    ) -> None:
        """Add a line of an attempt. A line after its end is in the log of the process only."""
        if level not in self._kept:
            return
        masker = attempt.masker
        shown = cut(f"{message}\n{traceback.format_exc()}" if exc_info else message, masker)
        said = encode_fields(fields, masker) if fields else b""
        if level in self._told:
            self._tell(attempt, level, shown, said)  # outside the lock: nobody may read that stream
        self._keep(attempt, level, shown, said)

    def keep(self, attempt: Assignment, level: LogLevel, message: str, fields: Mapping[str, object]) -> None:
        """Add a line that is in the log of the process already."""
        if level in self._kept:
            masker = attempt.masker
            self._keep(attempt, level, cut(message, masker), encode_fields(fields, masker))

    def keep_output(self, attempt: Assignment, level: LogLevel, text: str) -> None:
        """Add what was written to a stream: each whole line. The rest waits for the end of its line."""
        with self._lock:
            begun = attempt.begun = attempt.begun or PartialLines()
        for line in begun.whole(level, text, attempt.masker):
            self.add_line(attempt, level, line, {})

    def close(self, attempt: Assignment) -> None:
        """End the log of an attempt: with the rest of an unfinished line, and the newest lines beyond its credit."""
        if attempt.line == 0 and attempt.begun is None:
            attempt.is_closed = True
            return
        for level, rest in attempt.begun.rest() if attempt.begun else ():
            self.add_line(attempt, level, rest, {})
        with self._lock:
            self._drain(attempt)
            attempt.is_closed = True
            self._followed.pop(attempt.seq, None)

    def credit(self, attempt: Assignment, size: int) -> None:
        """Add to the credit of a log whose bytes were stored. With half of its credit it sends the lines that wait."""
        with self._lock:
            attempt.credit = min(attempt.credit + size, CREDIT)
            if attempt.credit > CREDIT // 2:
                self._drain(attempt)

    def follow(self, seq: int) -> None:
        """Somebody reads this log now: send waiting lines at once."""
        self._followed[seq] = self._loop.time() + _FOLLOWED_FOR
        self.flush()

    def take(self) -> list[Row]:
        """Remove and return the rows to be sent."""
        with self._lock:
            rows, self.rows = self.rows, []
            return rows

    def flush(self) -> None:
        self._waiting = False
        if self.rows:
            self._outbox.send(Kind.LOGS, orjson.dumps(self.take()))

    def _keep(self, attempt: Assignment, level: LogLevel, message: str, fields: bytes) -> None:
        if not is_fork():  # which may have come while another thread had the lock
            with self._lock:
                self._take(attempt, level, message, fields)
        interrupts.leave(attempt)

    def _take(self, attempt: Assignment, level: LogLevel, message: str, fields: bytes) -> None:
        if attempt.is_closed:
            return
        line = Said(time.time_ns() // 1000, level, message, fields, log_bytes(message, len(fields)))
        if attempt.tail is None and line.size <= attempt.credit:
            self._add(attempt, line)
            return
        tail = attempt.tail = attempt.tail or Tail()
        tail.add(line)
        self._counts[attempt.place] = attempt.line + len(tail)

    def _drain(self, attempt: Assignment) -> None:
        """Send the lines that exceeded the credit, with a mark in the place of those that were dropped."""
        tail, attempt.tail = attempt.tail, None
        for line in tail.lines() if tail else ():
            self._add(attempt, line)

    def _add(self, attempt: Assignment, line: Said) -> None:
        attempt.credit -= line.size
        attempt.line += 1
        self._counts[attempt.place] = attempt.line
        fields = orjson.Fragment(line.fields) if line.fields else None
        self.rows.append((attempt.seq, attempt.line, line.at, line.level, line.message, fields))
        if not self._waiting or len(self.rows) == _LINES:
            self._waiting = True
            self._loop.call_soon_threadsafe(self._soon, context=self._base)

    def _soon(self) -> None:
        if len(self.rows) >= _LINES:
            self.flush()
            return
        self._loop.call_later(_FOLLOWED_SECONDS if self._is_read() else _SECONDS, self.flush, context=self._base)

    def _is_read(self) -> bool:
        """Whether somebody reads the log of an attempt that runs here."""
        now = self._loop.time()
        self._followed = {seq: until for seq, until in self._followed.items() if until > now}
        return bool(self._followed)
