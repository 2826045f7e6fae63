"""The pace of an executor, and the number of jobs that may wait in it."""

from __future__ import annotations

from collections import deque
from typing import Final

AHEAD_SECONDS: Final = 0.1  # of work may wait in an executor
RECENT: Final = 64  # reports of an executor
WEIGHT: Final = 32  # of one report at most: a burst of short jobs is not all that happens
SLACK: Final = 2.0  # times what was seen to end may wait, so that the rate can rise


class Pace:
    """The buffer: what runs in 100 ms at the recent median duration, nothing for longer jobs.

    Reports come when jobs end, so long jobs behind short ones say nothing while they run. As long as jobs wait, what
    really ended since the last look is a bound too. It also sees handlers that share one core.
    """

    def __init__(self, slots: int, most: int) -> None:
        self._slots = slots
        self._most = most
        self._reports: deque[tuple[float, int]] = deque(maxlen=RECENT)
        self._ended = 0
        self._looked_at: float | None = None
        self._rate: float | None = None  # ended in a second between the last two looks, where jobs waited at both
        self.buffer = 0

    def record(self, count: int, seconds: float) -> None:
        """Record that `count` jobs have ended, which took `seconds` in total."""
        if not count:
            return
        self._reports.append((seconds / count, min(count, WEIGHT)))
        self._ended += count
        if len(self._reports) == 1:
            self.buffer = self._by_duration()

    def look(self, now: float, *, waiting: bool) -> None:
        """Set the size of the buffer; `waiting` says whether jobs have waited in the executor just now."""
        ended, since = self._ended, self._looked_at
        self._ended, self._looked_at = 0, now if waiting else None
        before, self._rate = self._rate, None if since is None or not waiting else ended / max(now - since, 0.001)
        self.buffer = self._by_duration()
        if before is not None and self._rate is not None:  # twice: a machine may hesitate once
            self.buffer = min(self.buffer, int(SLACK * AHEAD_SECONDS * max(before, self._rate)))

    def _by_duration(self) -> int:
        typical = median(self._reports)
        if typical is None or typical >= AHEAD_SECONDS:
            return 0
        return min(self._most, int(self._slots * AHEAD_SECONDS / max(typical, 1e-6)))


def median(reports: deque[tuple[float, int]]) -> float | None:
    """The duration in the middle, each report counted by its weight."""
    middle = sum(weight for _, weight in reports) / 2
    for duration, weight in sorted(reports):
        middle -= weight
        if middle <= 0:
            return duration
    return None
