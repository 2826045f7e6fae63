"""Leases as a worker's supervisor holds them: a ticket to prove each, and a line for the process that runs it.

A line is one row of text that a store writes and an executor reads; whoever passes it on does not look into it. Its
fields are separated by tabs, and neither a tab nor a newline is in one of them:

    seq, attempt_no, definition_key, timeout_seconds or nothing, attempts_left, job_id, tenant_id,
    scheduled_for as microseconds since 1970 UTC, source,
    the rest as a JSON object or nothing (artifact_ref, correlation_id, trace_context, source_ref, each if not null,
    a priority other than 100, and under `undecodable` the names of what cannot be decoded, which is left out),
    payload as JSON

The payload may have tabs, and it may not be JSON at all: another program wrote it. It has no newline either.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, NamedTuple
from uuid import UUID

from jobplane.core.model import Json, Outcome

USUAL_PRIORITY: Final = 100
LogLevel = Literal["debug", "info", "warning", "error"]


class Ticket(NamedTuple):
    """What proves a lease: the fence of every renewal, settlement and log line."""

    seq: int
    attempt_no: int
    token: UUID


class Taken(NamedTuple):
    """The answer to one claim. `lines` has a line for each ticket, in the same order, joined by newlines.

    `alone` must each run in a process of their own: suspects of a crash, and definitions with `isolation="process"`.
    `lasting`, a part of `alone`, go on when contact is lost. `more`: ask again at once.
    """

    tickets: list[Ticket]
    lines: bytes
    alone: frozenset[int]
    lasting: frozenset[int]
    more: bool


class Renewal(NamedTuple):
    """What a renewal says beyond `renewed`: cancel, busy, gone, or followed (somebody reads its log just now)."""

    seq: int
    answer: Literal["cancel", "busy", "gone", "followed"]


@dataclass(slots=True)
class End:
    """How one leased attempt ended; `result` is JSON text that fits a store.

    `spent_ms` is the handler's own time, None where nobody saw its end; it is for the worker's log alone. `message` is
    its last word on how far it is, which a renewal takes to the store.
    """

    ticket: Ticket
    outcome: Outcome = Outcome.SUCCEEDED
    reason: str | None = None
    error: str | None = None
    exit_code: int | None = None
    retry_after: float | None = None
    result: str | None = None
    progress: float | None = None
    spent_ms: int | None = None
    message: str | None = None


class Unsettled(NamedTuple):
    """A settlement that did not count (`accepted` False), or has to be asked again (None: somebody has it locked)."""

    seq: int
    attempt_no: int
    accepted: bool | None
    status: str


class Reaped(NamedTuple):
    """An attempt that was ended for a worker that is gone; `worker_id` is that worker's."""

    job_id: UUID
    tenant_id: UUID
    definition_key: str
    attempt_no: int
    worker_id: str
    trace_context: str | None
    outcome: str
    status: str
    held_ms: int
    undecodable: tuple[str, ...] = ()


@dataclass(slots=True)
class NewLogLine:
    """A line that a handler wrote; `line` counts from 1 within its attempt."""

    ticket: Ticket
    line: int
    at: datetime
    level: LogLevel
    message: str
    fields: dict[str, Json] | None = None


class LogLine(NamedTuple):
    """A stored line; (attempt_no, line) orders a job's log and is where a reader goes on.

    `undecodable` names the fields whose stored values cannot be decoded: these are None.
    """

    attempt_no: int
    line: int
    at: datetime
    level: LogLevel
    message: str
    fields: dict[str, Json] | None
    undecodable: tuple[str, ...] = ()


class FoundLine(NamedTuple):
    """A line that a search found, with its job. What cannot be decoded of the job is named in the line's mark, too."""

    job_id: UUID
    definition_key: str
    line: LogLine


class Findings(NamedTuple):
    """What a search found; `scanned_all` False: it ended before it had seen everything."""

    lines: list[FoundLine]
    scanned_all: bool
