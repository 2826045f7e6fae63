"""Whether an executor responds, and whether it must be killed because it does not."""

from __future__ import annotations

from collections.abc import Set
from typing import Final

from jobplane.core.leases import Lease
from jobplane.worker.claim_records import ClaimRecords
from jobplane.worker.fleet.holdings import Holdings
from jobplane.worker.fleet.verdict import Cause

ASK_SECONDS: Final = 1.0  # of quiet, then it is asked
LATE_SECONDS: Final = 1.0  # without an answer it gets no more jobs
DEAF_SECONDS: Final = 10.0  # without an answer it does not listen: a call in C may hold the GIL for a while
STOP_SECONDS: Final = 5.0  # for a job that was told to stop, in an executor that does not listen
GONE_SECONDS: Final = 1.0  # for one whose lease is gone, in any: its next attempt may have begun
OVERTIME_SECONDS: Final = 1.0  # after a timeout, for the executor to see to it
_STEP_SECONDS: Final = 1.0  # counts at most between two looks: while we were stopped nobody was waited for


class Listening:
    """Any frame of an executor shows that it responds: a blocked event loop or a held GIL keeps it from sending.

    An executor that does not respond is left alone as long as no job in it has to stop. All times are on the clock of
    the executors' deadlines.
    """

    def __init__(self, holdings: Holdings, claim_records: ClaimRecords) -> None:
        self._holdings = holdings
        self._claim_records = claim_records
        self._looked_at: float | None = None
        self._quiet_seconds = 0.0
        self._waited_seconds = 0.0
        self._began: dict[Lease, float] = {}

    @property
    def is_late(self) -> bool:
        return self._waited_seconds >= LATE_SECONDS

    @property
    def is_deaf(self) -> bool:
        return self._waited_seconds >= DEAF_SECONDS

    def record_answer(self) -> None:
        self._quiet_seconds = self._waited_seconds = 0.0

    def look(self, now: float, running: Set[int]) -> bool:
        """Note which handlers run and how long the executor is silent. Returns whether to ask it now."""
        step = 0.0 if self._looked_at is None else min(now - self._looked_at, _STEP_SECONDS)
        self._looked_at = now
        leases = self._holdings.leases
        self._began = {lease: self._began.get(lease, now) for seq in running if (lease := leases.get(seq)) is not None}
        if not leases:
            self.record_answer()
        elif self._holdings.is_asked:
            self._waited_seconds += step
        else:
            self._quiet_seconds += step
        return not self._holdings.is_asked and self._quiet_seconds >= ASK_SECONDS

    def fault(self, now: float) -> tuple[Cause, str] | None:
        """The reason to kill the process now, or None."""
        told_at = self._holdings.told_at
        gone = [lease for lease in self._began if self._holdings.stops.get(lease.seq) == "gone"]
        if any(now - told_at[lease.seq] >= GONE_SECONDS for lease in gone):
            return "gone", "The lease of a handler has expired or was taken over, and the handler did not stop."
        if not self.is_deaf:
            return None
        if not self._began:
            return "deaf", "The process does not respond, and no handler runs in it."
        if any(now - at >= STOP_SECONDS for at in told_at.values()):
            return "deaf", "A handler blocks the process, and a job in it must stop."
        if self.find_over(now):
            return "deaf", "A handler blocks the process, and a timeout has passed."
        return None

    def find_over(self, now: float) -> set[int]:
        """The jobs that ran longer than their timeouts and a second for the executor to stop them."""
        return {lease.seq for lease, began in self._began.items() if self._is_over(lease, now - began)}

    def _is_over(self, lease: Lease, ran_seconds: float) -> bool:
        timeout = self._claim_records.timeout_seconds(lease)
        return timeout is not None and ran_seconds >= timeout + OVERTIME_SECONDS
