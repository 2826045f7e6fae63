"""The worker's own log: a line for each event of the worker and for each attempt that did not succeed."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import Final

from jobplane.core.leases import SUCCEEDED, Ending, Lease, Settlement
from jobplane.core.model import Outcome
from jobplane.process.events import LEVELS, EventLog
from jobplane.telemetry.logging import TRACEBACK
from jobplane.worker.claim_records import ClaimRecords

log = logging.getLogger("jobplane.worker")

_TRACEBACK: Final = "Traceback (most recent call last):"
_HEAD: Final = re.compile(
    rf"^(?: *\+ Exception Group )?{re.escape(_TRACEBACK)}$", re.MULTILINE
)  # not of a group's parts
_BAR: Final = "  | "  # before each line of a group
# A release is nobody's fault, and a cancel is somebody's wish.
_LEVEL_OF: Final = {Outcome.SUCCEEDED: "debug", Outcome.RELEASED: "info", Outcome.CANCELED: "info"}


class Journal(EventLog):
    """The events of a worker, and those of its attempts with the ids of their jobs."""

    def __init__(self, worker_id: str, claim_records: ClaimRecords) -> None:
        super().__init__(log, worker_id=worker_id)
        self._claim_records = claim_records

    def log_claimed(self, leases: Sequence[Lease]) -> None:
        """Each attempt that begins its way through the worker, for somebody who looks for them."""
        self._each(leases, "attempt_claimed")

    def log_begun(self, leases: Sequence[Lease]) -> None:
        """Each whose handler the database knows to have begun."""
        self._each(leases, "attempt_begun")

    def _each(self, leases: Sequence[Lease], name: str) -> None:
        for lease in leases if self.is_detailed else ():
            self.log_attempt(lease, name, "debug")

    def log_all_ended(self, settlements: Sequence[Settlement], unsettled: set[tuple[int, int]]) -> None:
        """Settlements that the store has taken. Plain successes are for the log level debug."""
        told = settlements if self.is_detailed else [each for each in settlements if each[1] is not SUCCEEDED]
        for lease, ending in told:
            if lease[:2] not in unsettled:
                self.log_ended(lease, ending)

    def log_ended(self, lease: Lease, ending: Ending) -> None:
        """An attempt as the store has taken it."""
        level = "debug" if ending.reason == "unstarted" else _LEVEL_OF.get(ending.outcome, "warning")
        if log.isEnabledFor(LEVELS[level]):
            error = ending.error or ""
            raised = error if _TRACEBACK in error else None
            more = {
                "reason": ending.reason,
                "error": _message_of(error),
                "exit_code": ending.exit_code,
                TRACEBACK: raised,
            }
            self.log_attempt(lease, f"attempt_{ending.outcome.value}", level, spent_ms=ending.spent_ms, **more)

    def log_refused(self, lease: Lease, outcome: Outcome, status: str) -> None:
        """The lease was no longer ours: somebody else has the job, or its end."""
        self.log_attempt(lease, "outcome_refused", "warning", outcome=outcome.value, status=status)

    def log_attempt(
        self, lease: Lease, name: str, level: str = "info", *, spent_ms: int | None = None, **more: object
    ) -> None:
        """An event of one attempt, with the ids that its claim came with.

        Its duration is the handler's own time; where nobody has seen its end, all the time since the claim.
        """
        facts = self._claim_records.facts(lease)
        known: dict[str, object] = {} if facts is None else facts._asdict()
        known["duration_ms"] = known.get("held_ms") if spent_ms is None else spent_ms
        self.log_event(name, level=level, **known, seq=lease.seq, attempt_no=lease.attempt_no, **more)


def _message_of(error: str | None) -> str | None:
    """The message of an error, without its traceback."""
    lines = (line.removeprefix(_BAR) for line in _HEAD.split((error or "").strip())[-1].splitlines())
    said = next((line for line in lines if line and not line.startswith(" ")), None)
    return said[:500] if said else None
