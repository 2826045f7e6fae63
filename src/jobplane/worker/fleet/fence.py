"""The time until which all held leases are certainly valid, on the clock of `boot_time`."""

from __future__ import annotations

import math
from collections import deque
from typing import Final

SHARE: Final = 0.9  # of a lease: what is left is for killing and dying
FAR: Final = 0.75  # of a lease: enough for an outage of the database that stops nothing
LATE: Final = 1 / 3  # of a lease: an older answer of a claim is not worth starting


class Fence:
    """One deadline for all leases. Those of a claim count from when it was sent: the time of the answer is unknown."""

    def __init__(self, lease_seconds: float) -> None:
        self._lease = lease_seconds
        self._fresh: deque[tuple[float, float]] = deque()  # dealt since the last renewal was sent: when, and good until
        self.deadline = math.inf

    def is_late(self, asked_at: float, now: float) -> bool:
        """Whether a claim's answer is too old to start anything on it."""
        return now - asked_at > self._lease * LATE

    def rest(self) -> None:
        """Nothing is held now: remove the deadline."""
        self._fresh.clear()
        self.deadline = math.inf

    def resume(self, now: float) -> None:
        """Prepare for the first leases after a while. A deadline far enough away stays, and need not be sent."""
        self._fresh.clear()
        if self.deadline < now + self._lease * FAR:
            self.deadline = math.inf

    def dealt(self, asked_at: float, now: float) -> None:
        """Add the leases of a claim."""
        good_until = asked_at + self._lease * SHARE
        self._fresh.append((now, good_until))
        self.deadline = min(self.deadline, good_until)

    def confirm(self, sent_at: float) -> None:
        """All leases that were held at `sent_at` are renewed. Leases of later claims are not."""
        while self._fresh and self._fresh[0][0] <= sent_at:
            self._fresh.popleft()
        renewed_until = sent_at + self._lease * SHARE
        self.deadline = min([renewed_until, *(good_until for _, good_until in self._fresh)])
