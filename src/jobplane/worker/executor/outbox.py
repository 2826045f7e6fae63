"""The reports of an executor, kept for a moment and sent together."""

from __future__ import annotations

import asyncio
import threading
from contextvars import Context
from typing import TYPE_CHECKING, Final, Protocol

import orjson

from jobplane.core.payload import storable
from jobplane.worker.frames import SPENT, EndedRow, Kind, frame, head

if TYPE_CHECKING:
    from jobplane.worker.executor.assignment import Assignment
    from jobplane.worker.executor.job_logs import JobLogs

_SHARE_SECONDS: Final = 0.25  # a renewal takes progress along every few seconds; more haste serves nobody


class Writes(Protocol):
    def write(self, data: bytes) -> None: ...


class Outbox:
    """Collects frames. Used on the event loop only, except `keep_progress`."""

    def __init__(self, loop: asyncio.AbstractEventLoop, way: Writes, worker: str) -> None:
        self.worker = worker
        self.slugs: dict[str, str] = {}  # of tenants, as far as the supervisor has told them
        self.journal: JobLogs | None = None
        self.done: list[int] = []
        self.took: list[tuple[int, int]] = []
        self.ended: list[EndedRow | orjson.Fragment] = []
        self.returned: list[int] = []
        self.count = 0
        self.seconds = 0.0
        self.is_stuck = False  # the socket takes no more just now: what was sent last is still in this process
        self._loop = loop
        self._way = way
        self._lock = threading.Lock()
        self._shares: dict[int, tuple[float | None, str | None]] = {}
        self._base = Context()

    @property
    def is_urgent(self) -> bool:
        """Whether outcomes wait that would be lost with the process. Plain successes are on the board."""
        return bool(self.ended or self.returned)

    def keep_progress(self, attempt: Assignment, share: float | None, message: str | None) -> None:
        """Keep the last progress of an attempt. May be called from any thread."""
        if attempt.is_closed:
            return
        if message is not None:
            attempt.message = storable(message[:1000])
        with self._lock:  # or an entry could come between the look and the sending, and nobody would come for it
            first = not self._shares
            old_share, old_message = self._shares.get(attempt.seq, (None, None))
            self._shares[attempt.seq] = (
                old_share if share is None else share,
                old_message if message is None else attempt.message,
            )
        if first:
            self._loop.call_soon_threadsafe(self._later, context=self._base)

    def forget(self, attempt: Assignment) -> None:
        """Drop the progress of an attempt: its outcome has it."""
        with self._lock:
            self._shares.pop(attempt.seq, None)

    def _later(self) -> None:
        self._loop.call_later(_SHARE_SECONDS, self.send_shares, context=self._base)

    def send_shares(self) -> None:
        with self._lock:
            shares, self._shares = self._shares, {}
        if shares:
            self.send(Kind.SHARE, orjson.dumps([(seq, *said) for seq, said in shares.items()]))

    def send(self, kind: Kind, body: bytes) -> None:
        """Send one frame now."""
        self._way.write(frame(kind, body))

    def flush(self) -> None:
        """Send the log lines, then all outcomes: lines that come after the outcome of their attempt are refused."""
        parts: list[bytes] = []
        if self.journal is not None and self.journal.rows:
            _add(parts, Kind.LOGS, orjson.dumps(self.journal.take()))
        if self.took:
            _add(parts, Kind.TOOK, orjson.dumps(self.took))
            self.took = []
        if self.done:
            _add(parts, Kind.DONE, orjson.dumps(self.done))
            self.done = []
        if self.ended:
            _add(parts, Kind.ENDED, orjson.dumps(self.ended))
            self.ended = []
        if self.returned:
            _add(parts, Kind.RETURNED, orjson.dumps(self.returned))
            self.returned = []
        if self.count:
            _add(parts, Kind.SPENT, SPENT.pack(self.count, self.seconds))
            self.count, self.seconds = 0, 0.0
        if parts:
            self._way.write(b"".join(parts))


def _add(parts: list[bytes], kind: Kind, body: bytes) -> None:
    parts += (head(kind, len(body)), body)
