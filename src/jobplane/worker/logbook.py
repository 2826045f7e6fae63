"""Send the log lines of handlers to the store: in order, in batches, and up to a bound."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from jobplane.core.errors import JobplaneError, StoreUnavailable
from jobplane.core.leases import Lease
from jobplane.core.logs import NewLogLine
from jobplane.process.contact import CallRefused, Connection, ConnectionLost
from jobplane.store.verbs.engine import WriteLogs
from jobplane.store.worker import WorkerStore
from jobplane.worker.journal import Journal

BATCH: Final = 100
AT_ONCE: Final = 1000
LAG_SECONDS: Final = 1.0
FOLLOWED_LAG_SECONDS: Final = 0.25
MOST_BYTES: Final = 64 * 1024 * 1024
# Failures in a row after which lines are given up: outcomes wait behind them.
TRIES: Final = 5
# Attempts whose lost lines are remembered: about as many as a worker has leases.
MARKS: Final = 1000
MARK_SECONDS: Final = 2.0


class Logbook:
    """Lines wait until there are a hundred, until the oldest has waited for a second, or until their attempt ends."""

    def __init__(
        self, connection: Connection, store: WorkerStore, journal: Journal, credit: Callable[[Mapping[int, int]], None]
    ) -> None:
        self._connection = connection
        self._store = store
        self._journal = journal
        self._credit = credit
        self._lines: list[NewLogLine] = []
        self._sizes: dict[int, int] = {}
        self._bytes = 0
        self._lost: dict[Lease, tuple[int, int]] = {}
        self._unsaid = 0
        self._mark_from = 0.0
        self._oldest_at: float | None = None
        self._most = AT_ONCE
        self._failures = 0
        self._followed: frozenset[int] = frozenset()

    def follow(self, seqs: frozenset[int]) -> None:
        """Set the jobs whose logs somebody reads now: their lines are sent sooner."""
        self._followed = seqs

    def add(self, lines: Sequence[NewLogLine], sizes: Mapping[int, int]) -> None:
        """Keep lines. Lines over the bound are dropped, counted, and marked in their place."""
        if self._oldest_at is None and lines:
            self._oldest_at = time.monotonic() - _age(lines[0])
        for seq, size in sizes.items():
            self._sizes[seq] = self._sizes.get(seq, 0) + size
        if self._bytes > MOST_BYTES:
            self._unsaid += len(lines)
            self._lose(lines)
        else:
            self._bytes += sum(sizes.values())
            self._lines += lines

    @property
    def due_in(self) -> float | None:
        """Seconds until `flush` is due, counted from when the handler wrote the oldest line. None without lines."""
        if self._oldest_at is None:
            return None
        lag = FOLLOWED_LAG_SECONDS if self._followed else LAG_SECONDS
        return 0.0 if len(self._lines) >= BATCH else max(0.0, self._oldest_at + lag - time.monotonic())

    @property
    def seqs(self) -> set[int]:
        """Jobs whose outcomes must wait: their lines, or the marks for their lost lines, are not stored yet."""
        return {line.lease.seq for line in self._lines}.union(lease.seq for lease in self._lost if self._lines)

    async def flush(self) -> None:
        """Store the lines of one call. Lines without an answer are sent again; the store keeps each line once."""
        if self._lines:
            portion = self._lines[: self._most]
            try:
                await self._store_lines(portion)
            except ConnectionLost as error:
                self._on_missed(portion, error)
                raise
            self._most, self._failures = min(AT_ONCE, self._most * 2), 0
            self._mark_from = 0.0
            del self._lines[: len(portion)]
        if self._lines:
            return
        self._give_credit()
        if self._lost and time.monotonic() >= self._mark_from:
            await self._mark()

    def _on_missed(self, portion: Sequence[NewLogLine], error: ConnectionLost) -> None:
        """Make the next call smaller, and give all lines up after too many failures in a row."""
        self._most = max(1, len(portion) // 2)
        if _is_away(error):
            return
        self._failures += 1
        if self._failures >= TRIES:
            self._journal.log_event("log_lines_lost", level="warning", lines=len(self._lines), error=str(error))
            self._lose(self._lines)
            self._lines = []
            self._mark_from = time.monotonic() + MARK_SECONDS
            self._give_credit()

    async def _store_lines(self, lines: Sequence[NewLogLine]) -> None:
        """Store lines. If the store refuses them, store each half alone, down to the line at fault."""
        try:
            refused = await self._connection.ask(self._store.run(WriteLogs(lines)))
        except CallRefused as error:
            if len(lines) == 1:
                await self._replace(lines[0], str(error))
                return
            half = len(lines) // 2
            await self._store_lines(lines[:half])
            await self._store_lines(lines[half:])
        else:
            self._journal.log_step("logs_stored", lines=len(lines), refused=len(refused))

    async def _replace(self, line: NewLogLine, why: str) -> None:
        note = NewLogLine(line.lease, line.line, line.at, line.level, f"[this line could not be stored: {why}]")
        try:
            await self._connection.ask(self._store.run(WriteLogs([note])))
        except CallRefused as error:
            await self._journal.learn_tenants(self._store, [line.lease])
            text = "A log line could not be stored."
            self._journal.log_attempt(line.lease, "log_line_refused", "error", text=text, error=str(error))

    def _give_credit(self) -> None:
        sizes, self._sizes, self._bytes, self._oldest_at = self._sizes, {}, 0, None
        if sizes:
            self._credit(sizes)

    def _lose(self, lines: Sequence[NewLogLine]) -> None:
        for line in lines:
            first, count = self._lost.get(line.lease, (line.line, 0))
            self._lost[line.lease] = first, count + 1
        while len(self._lost) > MARKS:
            del self._lost[next(iter(self._lost))]

    async def _mark(self) -> None:
        """Write one line for each attempt that lost lines, in the place of the first lost line.

        If the database answers but refuses, try again later: outcomes wait for lines, not for marks.
        """
        if self._unsaid:
            self._journal.log_event("log_lines_lost", level="warning", lines=self._unsaid)
            self._unsaid = 0
        now, marking = datetime.now(UTC), dict(self._lost)
        try:
            await self._store_lines([_make_mark(lease, now, *lost) for lease, lost in marking.items()])
        except ConnectionLost as error:
            if _is_away(error):
                raise
            self._mark_from = time.monotonic() + MARK_SECONDS
        else:  # but for those that have lost more meanwhile
            self._lost = {lease: lost for lease, lost in self._lost.items() if marking.get(lease) != lost}


def _age(line: NewLogLine) -> float:
    """Seconds since the line was written. Bounded, because the clock may have been set since then."""
    return min(max(0.0, time.time() - line.at.timestamp()), LAG_SECONDS)


def _is_away(error: ConnectionLost) -> bool:
    """Whether the database may be away, so that later calls have to wait for it too."""
    cause = error.__cause__
    return not isinstance(cause, JobplaneError) or isinstance(cause, StoreUnavailable)


def _make_mark(lease: Lease, now: datetime, first: int, count: int) -> NewLogLine:
    text = f"[{count} lines were lost here: the database did not take them in time]"
    return NewLogLine(lease, first, now, "warning", text, {"lines_dropped": count})
