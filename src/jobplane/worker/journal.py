"""The worker's own log: a line for each event of the worker and for each attempt that did not succeed."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import Final

from jobplane.core.lines import End, Reaped, Ticket
from jobplane.core.model import Outcome
from jobplane.telemetry.logging import TRACEBACK, Event
from jobplane.worker.dockets import Dockets, trace_id_of

log = logging.getLogger("jobplane.worker")

_LEVELS: Final = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
_NAMED: Final = 100  # reaped attempts that have a line of their own, of those of one call
_TRACEBACK: Final = "Traceback (most recent call last):"
_HEAD: Final = re.compile(
    rf"^(?: *\+ Exception Group )?{re.escape(_TRACEBACK)}$", re.MULTILINE
)  # not of a group's parts
_BAR: Final = "  | "  # before each line of a group
# A release is nobody's fault, and a cancel is somebody's wish.
_LEVEL_OF: Final = {Outcome.SUCCEEDED: "debug", Outcome.RELEASED: "info", Outcome.CANCELED: "info"}


class Journal:
    """Events have a name that stays the same, and facts beside it."""

    def __init__(self, worker_id: str, dockets: Dockets) -> None:
        self._worker_id = worker_id
        self._dockets = dockets

    @property
    def is_detailed(self) -> bool:
        return log.isEnabledFor(logging.DEBUG)

    def event(self, name: str, *, level: str = "info", **facts: object) -> None:
        known = {"event": name, "worker_id": self._worker_id, **facts}
        log.log(_LEVELS[level], Event(name.replace("_", " "), known), extra={"facts": known})

    def loop_died(self, loop: str, error: BaseException | None) -> None:
        """A fault of our own, so with its traceback."""
        known = {"event": "loop_died", "worker_id": self._worker_id, "loop": loop}
        log.error(Event("loop died", known), extra={"facts": known}, exc_info=error)

    def step(self, name: str, **facts: object) -> None:
        """What is worth a line only to somebody who looks for it."""
        if self.is_detailed:
            self.event(name, level="debug", **facts)

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
        if log.isEnabledFor(_LEVELS[level]):
            raised = end.error if _TRACEBACK in (end.error or "") else None
            more = {"reason": end.reason, "error": _said(end.error), "exit_code": end.exit_code, TRACEBACK: raised}
            self.attempt(end.ticket, f"attempt_{end.outcome.value}", level, spent_ms=end.spent_ms, **more)

    def reaped(self, attempts: Sequence[Reaped]) -> None:
        """Those of workers that are gone: how many, and which, as far as a log can bear it."""
        self.event("leases_reaped", level="warning", attempts=len(attempts), named=min(len(attempts), _NAMED))
        for attempt in attempts[:_NAMED]:
            facts = attempt._asdict() | {"job_id": str(attempt.job_id), "tenant_id": str(attempt.tenant_id)}
            if not attempt.undecodable:
                del facts["undecodable"]
            trace_id = trace_id_of(facts["job_id"], facts.pop("trace_context"))
            more = {"trace_id": trace_id, "duration_ms": attempt.held_ms, "reaped_by": self._worker_id}
            self.event("attempt_reaped", level="warning", **facts, **more)

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
