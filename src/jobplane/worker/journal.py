"""The worker's own log: a line for each event of the worker and for each attempt that did not succeed."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import Final

from jobplane.core.lines import End, Ticket
from jobplane.core.model import Outcome
from jobplane.process.events import LEVELS, EventLog
from jobplane.telemetry.logging import TRACEBACK
from jobplane.worker.dockets import Dockets

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

    def __init__(self, worker_id: str, dockets: Dockets) -> None:
        super().__init__(log, worker_id=worker_id)
        self._dockets = dockets

    def claimed(self, tickets: Sequence[Ticket]) -> None:
        """Each attempt that begins its way through the worker, for somebody who looks for them."""
        self._each(tickets, "attempt_claimed")

    def begun(self, tickets: Sequence[Ticket]) -> None:
        """Each whose handler the database knows to have begun."""
        self._each(tickets, "attempt_begun")

    def _each(self, tickets: Sequence[Ticket], name: str) -> None:
        for ticket in tickets if self.is_detailed else ():
            self.attempt(ticket, name, "debug")

    def ended_all(self, outcomes: Sequence[End | Ticket], unsettled: set[tuple[int, int]]) -> None:
        """What the store has taken; of plain successes only somebody who looks for them hears."""
        for outcome in outcomes if self.is_detailed else [each for each in outcomes if type(each) is End]:
            end = outcome if isinstance(outcome, End) else End(outcome)
            if end.ticket[:2] not in unsettled:
                self.ended(end)

    def ended(self, end: End) -> None:
        """An attempt as the store has taken it."""
        level = "debug" if end.reason == "unstarted" else _LEVEL_OF.get(end.outcome, "warning")
        if log.isEnabledFor(LEVELS[level]):
            raised = end.error if _TRACEBACK in (end.error or "") else None
            more = {"reason": end.reason, "error": _said(end.error), "exit_code": end.exit_code, TRACEBACK: raised}
            self.attempt(end.ticket, f"attempt_{end.outcome.value}", level, spent_ms=end.spent_ms, **more)

    def refused(self, ticket: Ticket, outcome: Outcome, status: str) -> None:
        """The lease was no longer ours: somebody else has the job, or its end."""
        self.attempt(ticket, "outcome_refused", "warning", outcome=outcome.value, status=status)

    def attempt(
        self, ticket: Ticket, name: str, level: str = "info", *, spent_ms: int | None = None, **more: object
    ) -> None:
        """An event of one attempt, with the ids that its claim came with.

        Its duration is the handler's own time; where nobody has seen its end, all the time since the claim.
        """
        facts = self._dockets.facts(ticket)
        known: dict[str, object] = {} if facts is None else facts._asdict()
        known["duration_ms"] = known.get("held_ms") if spent_ms is None else spent_ms
        self.event(name, level=level, **known, seq=ticket.seq, attempt_no=ticket.attempt_no, **more)


def _said(error: str | None) -> str | None:
    """What was raised, without where."""
    lines = (line.removeprefix(_BAR) for line in _HEAD.split((error or "").strip())[-1].splitlines())
    said = next((line for line in lines if line and not line.startswith(" ")), None)
    return said[:500] if said else None
