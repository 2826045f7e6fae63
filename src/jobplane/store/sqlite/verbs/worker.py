"""claim_lines, renew_all, settle_all: the verbs of a worker, which holds many leases and reads none of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from jobplane.core import bounds
from jobplane.core.lines import USUAL_PRIORITY, End, Reaped, Renewal, Taken, Ticket, Unsettled
from jobplane.core.model import Outcome
from jobplane.core.payload import storable
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks
from jobplane.store.sqlite.moment import SECOND, Moment, written
from jobplane.store.sqlite.statements import verb
from jobplane.store.sqlite.verbs.batch import batch, dumps
from jobplane.store.sqlite.verbs.candidates import Candidate
from jobplane.store.sqlite.verbs.claim import take
from jobplane.store.sqlite.verbs.settle import Ended, checked_wait, end
from jobplane.store.sqlite.verbs.upkeep import reaped

Fence = tuple[int, int, str]
_REST: Final = ("artifact_ref", "correlation_id", "trace_context", "source_ref", "priority")


def claim_lines(db: Conn, moment: Moment, queue: str, worker_id: str, limit: int, lease_seconds: int) -> Taken:
    took = take(db, moment, queue, worker_id, limit, lease_seconds, begun=False)
    return Taken(
        [Ticket(row.seq, row.attempt_no + 1, took.token) for row in took.taken],
        "\n".join(map(_line, took.taken, took.facts)).encode(),
        frozenset(row.seq for row in took.taken if row.alone or row.isolated),
        frozenset(row.seq for row in took.taken if row.lasting),
        took.more,
    )


def _line(row: Candidate, facts: tuple[Any, ...]) -> str:
    job_id, timeout_seconds, payload, artifact_ref, correlation_id, trace_context, source, source_ref = facts
    priority = None if row.priority == USUAL_PRIORITY else row.priority
    named = zip(_REST, (artifact_ref, correlation_id, trace_context, source_ref, priority), strict=True)
    rest = {name: value for name, value in named if value is not None}
    timeout = "" if timeout_seconds is None else timeout_seconds
    return (
        f"{row.seq}\t{row.attempt_no + 1}\t{row.definition_key}\t{timeout}\t{row.attempts_left - 1}\t{job_id}"
        f"\t{row.tenant_id}\t{row.scheduled_for}\t{source}\t{dumps(rest) if rest else ''}\t{payload}"
    )


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
    return [Reaped(UUID(job_id), UUID(tenant_id), *rest) for job_id, tenant_id, *rest in rows]
