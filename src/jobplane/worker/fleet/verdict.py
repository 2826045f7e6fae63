"""What becomes of the jobs that an executor held when it died."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Final, Literal

from jobplane.core.lines import End, Ticket
from jobplane.core.model import Outcome
from jobplane.worker.wire import StopReason

PAUSE_SECONDS: Final = 1.0  # before a job may be claimed again that had no chance here just now
STRANGER_SECONDS: Final = 5.0  # before one may be that was never for this worker

# Who killed it: nobody knows (crash), the watchdog, or the fleet, because of a timeout or a cancel of its one job,
# because one whose lease is gone did not stop (gone), because half its slots were overdue (stuck), because it did not
# listen (deaf), or because the worker ends (closed).
Cause = Literal["crash", "watchdog", "timeout", "cancel", "gone", "stuck", "deaf", "closed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Death:
    """Everything that is known of it. `running` stood on the board; `how` and `exit_code` are what the system says."""

    cause: Cause
    how: str
    exit_code: int | None
    alone: bool
    running: Set[int]
    overdue: Set[int] = frozenset()
    stops: Mapping[int, StopReason] = field(default_factory=dict[int, StopReason])


def ends(tickets: Iterable[Ticket], death: Death) -> list[End]:
    """How their attempts end. One whose lease is gone has no end to report."""
    return [_end(ticket, death) for ticket in tickets if death.stops.get(ticket.seq) != "gone"]


def _end(ticket: Ticket, death: Death) -> End:
    """Only a job that ran by itself pays for the death of its process: nobody else can have been the reason."""
    seq = ticket.seq
    if death.cause == "watchdog":
        return End(ticket, Outcome.RELEASED, "lost_contact")
    if seq not in death.running and death.cause != "cancel":
        return unstarted(ticket, PAUSE_SECONDS if death.alone else None)
    if death.alone and death.cause == "crash":
        error = f"the process that ran it alone ended before it did: {death.how}"
        return End(ticket, Outcome.LOST, "worker_crash", error, death.exit_code)
    if death.cause == "crash" or (death.cause == "deaf" and seq not in death.stops):
        return End(ticket, Outcome.RELEASED, "suspect", f"the process that ran it among others ended: {death.how}")
    return _stopped(ticket, death)


def _stopped(ticket: Ticket, death: Death) -> End:
    """It ran in a process that the fleet killed."""
    why = death.stops.get(ticket.seq)
    if death.cause == "cancel" or why == "cancel":
        return End(ticket, Outcome.CANCELED, error="it did not stop when it was canceled; its process was killed")
    if death.cause == "timeout" or (ticket.seq in death.overdue and why in (None, "shutdown")):
        return End(ticket, Outcome.TIMEOUT, "timeout", "it did not stop at its timeout; its process was killed")
    is_neighbour = death.cause in ("stuck", "gone") and why is None
    return End(ticket, Outcome.RELEASED, "neighbour" if is_neighbour else "shutdown")


def unstarted(ticket: Ticket, retry_after: float | None = None) -> End:
    """It goes back as if it had never been claimed."""
    return End(ticket, Outcome.RELEASED, "unstarted", retry_after=retry_after)


def stranger(ticket: Ticket) -> End:
    """It was claimed by a worker that the database had forgotten, and so took for one that runs anything."""
    return unstarted(ticket, STRANGER_SECONDS)
