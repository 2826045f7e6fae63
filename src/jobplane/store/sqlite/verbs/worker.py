"""claim_lines, renew_all, settle_all: the verbs of a worker, which holds many leases and reads none of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from jobplane.core import bounds
from jobplane.core.decoding import FAULTS, LONGEST, Reader
from jobplane.core.lines import USUAL_PRIORITY, End, Reaped, Renewal, Taken, Ticket, Unsettled
from jobplane.core.model import Outcome
from jobplane.core.payload import storable
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks
from jobplane.store.sqlite.moment import EARLIEST, LATEST, SECOND, Moment, known, micros, written
from jobplane.store.sqlite.statements import verb
from jobplane.store.sqlite.verbs.batch import batch, dumps
from jobplane.store.sqlite.verbs.candidates import Candidate
from jobplane.store.sqlite.verbs.claim import Take, read, take
from jobplane.store.sqlite.verbs.settle import Ended, checked_wait, end
from jobplane.store.sqlite.verbs.upkeep import reaped

Fence = tuple[int, int, str]
_REST: Final = ("artifact_ref", "correlation_id", "trace_context", "source_ref", "priority")
_NOTHING: Final = (None, None, None)
_UUID_LENGTH: Final = 36
_TABS: Final = 10  # of a line
_BREAKS: Final = re.compile(r"[\t\n]")
_reaped: Final = Reader(Reaped, job_id=UUID, tenant_id=known)


def claim_lines(db: Conn, moment: Moment, queue: str, worker_id: str, limit: int, lease_seconds: int) -> Taken:
    took = take(db, moment, queue, worker_id, limit, lease_seconds, begun=False)
    return Taken(
        [Ticket(row.seq, row.attempt_no + 1, took.token) for row in took.taken],
        _lines(took) if took.taken else b"",
        frozenset(row.seq for row in took.taken if row.alone or row.isolated),
        frozenset(row.seq for row in took.taken if row.lasting),
        took.more,
    )


def _lines(took: Take) -> bytes:
    """One line for each lease. Made a second time, value by value, where one of them does not fit into a line."""
    count = len(took.taken)
    try:
        lines = "\n".join(map(_line, took.taken, took.facts))
    except FAULTS:
        lines = ""
    if lines.count("\n") == count - 1 and lines.count("\t") == _TABS * count:
        return lines.encode()
    return b"\n".join([_mended(took, *each) for each in zip(took.taken, took.facts, strict=True)])


def _line(row: Candidate, facts: tuple[Any, ...]) -> str:
    """Raises one of FAULTS where something cannot be decoded: a text that is bytes, an id that is no UUID, a time."""
    job_id, timeout_seconds, payload, artifact_ref, correlation_id, trace_context, source, source_ref = facts
    known(row.tenant_id)
    is_uuid = len(job_id) == _UUID_LENGTH  # as a rule: to read it would cost 1 µs
    if not is_uuid or len(payload) > LONGEST or not EARLIEST <= row.scheduled_for <= LATEST:
        raise ValueError("not what a claim hands out")
    timeout = "" if timeout_seconds is None else timeout_seconds
    usual = facts[3:6] == _NOTHING and source_ref is None and row.priority == USUAL_PRIORITY
    rest = "" if usual else _rest((artifact_ref, correlation_id, trace_context, source_ref, row.priority))
    return (
        f"{row.seq}\t{row.attempt_no + 1}\t" + row.definition_key + f"\t{timeout}\t{row.attempts_left - 1}\t" + job_id
        + "\t" + row.tenant_id + f"\t{row.scheduled_for}\t" + source + "\t" + rest + "\t" + payload
    )  # fmt: skip


def _rest(values: Sequence[object], bad: Sequence[str] = ()) -> str:
    """What few jobs have, as a JSON object or nothing."""
    rest: dict[str, Any] = {name: value for name, value in zip(_REST, values, strict=True) if value is not None}
    if rest["priority"] == USUAL_PRIORITY:
        del rest["priority"]
    if bad:
        rest["undecodable"] = bad
    return dumps(rest) if rest else ""


def _mended(took: Take, row: Candidate, facts: tuple[Any, ...]) -> bytes:
    """The same out of what can be decoded. The payload is only cut: whoever runs the job judges it."""
    lease = read(row, facts, took.token, took.ends)
    payload = (facts[2] if isinstance(facts[2], bytes) else facts[2].encode())[:LONGEST]
    bad = [name for name in lease.undecodable if name != "payload"]
    head = (
        *(lease.seq, lease.attempt_no, lease.definition_key, lease.timeout_seconds, lease.attempts_left),
        *(lease.job_id, lease.tenant_id, lease.scheduled_for and micros(lease.scheduled_for), lease.source),
        _rest([getattr(lease, name) for name in _REST], bad),
    )
    flat = ("" if value is None else _BREAKS.sub(" ", str(value)) for value in head)
    return "\t".join(flat).encode() + b"\t" + payload.replace(b"\n", b"\r")  # to JSON the same: a space, or a fault


def renew_all(
    db: Conn,
    moment: Moment,
    tickets: Sequence[Ticket],
    lease_seconds: int,
    begun: Sequence[int],
    progress: Mapping[int, tuple[float | None, str | None]],
) -> list[Renewal]:
    until = moment.now + bounds.whole("lease_seconds", lease_seconds, 5, 3600) * SECOND
    sql = verb("renew_all")
    rows = db.rows(sql["leases"], (moment.now, batch(ticket.seq for ticket in tickets)))
    found = {row[:3]: (row[3], row[4]) for row in rows}
    ours = {ticket.seq for ticket in tickets if _fence(ticket) in found}
    if ours:
        db.rows(verb("renew")["renew"], (until, batch(ours)))
    if started := ours.intersection(begun):
        db.rows(sql["begin"], (batch(started),))
    if said := [(seq, checks.share(part), storable(text)) for seq, (part, text) in progress.items() if seq in ours]:
        db.rows(sql["progress"], (batch(said),))
    return [answer for ticket in tickets if (answer := _answer(ticket.seq, found.get(_fence(ticket))))]


def _answer(seq: int, lease: tuple[int, int | None] | None) -> Renewal | None:
    if lease is None:
        return Renewal(seq, "gone")
    canceled, followed = lease
    if canceled:
        return Renewal(seq, "cancel")
    return Renewal(seq, "followed") if followed else None


def settle_all(db: Conn, moment: Moment, ends: Sequence[End | Ticket], max_interruptions: int) -> list[Unsettled]:
    settled = end(db, moment, [_ended(x) for x in ends], bounds.whole("max_interruptions", max_interruptions))
    return [Unsettled(x.seq, x.attempt_no, x.accepted, x.status) for x in settled if not x.accepted]


def _ended(x: End | Ticket) -> Ended:
    if isinstance(x, Ticket):
        return Ended(_fence(x), Outcome.SUCCEEDED)
    return Ended(
        _fence(x.ticket),
        Outcome(x.outcome),
        storable(x.reason),
        storable(x.error),
        checks.exit_code(x.exit_code),
        checked_wait(x.retry_after),
        x.result,
        checks.share(x.progress),
    )


def _fence(ticket: Ticket) -> Fence:
    return ticket.seq, ticket.attempt_no, written(ticket.token)


def reap_all(db: Conn, moment: Moment, limit: int) -> list[Reaped]:
    ended = reaped(db, moment, limit)
    rows = db.rows(verb("reap_all")["told"], (batch(ended),)) if ended else []
    return [_reaped(row) for row in rows]
