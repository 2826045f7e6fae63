"""What keeps jobs moving: find_due_chores, promote, reap, expire, sweep, tidy; anyone may repeat these at any time."""

from __future__ import annotations

import time
from typing import Final
from uuid import UUID

from jobplane.core import bounds
from jobplane.core.decoding import Reader, optional
from jobplane.core.errors import Invalid
from jobplane.core.leases import Ending, Reaped
from jobplane.core.model import DueChores, Outcome
from jobplane.store.base import Conn
from jobplane.store.sqlite import statements
from jobplane.store.sqlite.moment import SECOND, Moment, instant, parse_uuid
from jobplane.store.sqlite.verbs import gates, words
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.lanes import Lane, admit, assign_tags, end_waiting
from jobplane.store.sqlite.verbs.settle import FencedEnding, end
from jobplane.store.verbs.engine import Expire, FindDueChores, Promote, Reap, Sweep, Tidy

_DAY: Final = 86_400 * SECOND
_reaped: Final = Reader(Reaped, job_id=UUID, tenant_id=parse_uuid, next_at=optional(instant))


def find_due_chores(db: Conn, moment: Moment, verb: FindDueChores) -> DueChores:
    """Which of these have something to do, and when the next job comes due."""
    due: set[str] = set()
    took: dict[str, float] = {}
    for chore in verb.chores:
        began = time.monotonic()
        if _is_due(db, moment, chore):
            due.add(chore)
        took[chore] = time.monotonic() - began
    [(next_at,)] = db.rows(statements.load_verb("due_chores")["next"], (moment.now,))
    return DueChores(None, None if next_at is None else (next_at - moment.now) / SECOND, frozenset(due), took)


def _is_due(db: Conn, moment: Moment, chore: str) -> bool:
    match chore:
        case "promote" | "expire" | "reap":
            return bool(db.rows(statements.load_verb("due_chores")[chore], (moment.now,)))
        case "sweep":
            return _has_open_gate(db, moment.now)
        case "tick" | "wake":  # there are no low marks, and nobody to wake
            return False
        case _:
            raise Invalid(f'There is no chore "{chore}".')


def _has_open_gate(db: Conn, now: int) -> bool:
    gate = gates.next_gate(db, "")
    while gate is not None and not gates.room(db, gate, 1, now):
        gate = gates.next_gate(db, gate)
    return gate is not None


def promote(db: Conn, moment: Moment, verb: Promote) -> int:
    """The longest due first, each at the end of its tenant's lane."""
    due = db.rows(statements.load_verb("promote")["due"], (moment.now, bounds.whole("limit", verb.limit, 0)))
    if due:
        lanes: list[tuple[int, Lane]] = [(seq, (tenant, queue, priority)) for seq, tenant, queue, priority in due]
        admit(db, "upcoming", assign_tags(db, lanes))
    return len(due)


def reap(db: Conn, moment: Moment, verb: Reap) -> list[Reaped]:
    most = min(max(bounds.whole("limit", verb.limit), 1), 1000)
    rows = db.rows(statements.load_verb("reap")["expired"], (moment.now, most))
    if not rows:
        return []
    end(db, moment, [_end_expired(*row) for row in rows])
    return [
        _reaped(row) for row in db.rows(statements.load_verb("reap_all")["told"], (batch(row[:2] for row in rows),))
    ]


def _end_expired(seq: int, attempt_no: int, token: str, begun: int) -> FencedEnding:
    """Only a handler that has begun pays."""
    return FencedEnding((seq, attempt_no, token), Ending(Outcome.LOST if begun else Outcome.RELEASED, "lease_expired"))


def expire(db: Conn, moment: Moment, verb: Expire) -> int:
    """A job that has started once, or was put off, only loses its entry."""
    sql = statements.load_verb("expire")
    due = db.rows(sql["due"], (moment.now, bounds.whole("limit", verb.limit, 0)))
    if not due:
        return 0
    late = [row[0] for row in db.rows(sql["late"], (moment.now, batch(seq for _, seq in due)))]
    if late:
        end_waiting(db, late, moment.now, "expired")
    db.rows(sql["leave"], (batch(due),))
    return len(late)


def sweep(db: Conn, moment: Moment, verb: Sweep) -> int:
    """Every gate that has room lets some of its rows back to ready. Starts with the empty text, which names no gate."""
    limit = bounds.whole("limit", verb.limit, 0)
    moved = 0
    gate: gates.Gate | None = ""
    while gate is not None:
        moved += gates.let_back(db, gate, limit, moment.now)
        gate = gates.next_gate(db, gate)
    return moved


def tidy(db: Conn, moment: Moment, _: Tidy) -> int:
    """Limits that nothing uses, workers and replies of yesterday, ended sessions; and enter words of logs."""
    sql = statements.load_verb("tidy")
    words.enter(db)
    old, now = moment.now - _DAY, moment.now
    tables = {"workers": old, "replies": old, "sessions": now, "links": now}
    return len(db.rows(sql["limits"], ())) + sum(len(db.rows(sql[table], (at,))) for table, at in tables.items())
