"""claim: lease jobs of one queue, urgent ones first, fair between tenants; what a gate shuts moves to held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID, uuid4

from jobplane.core import bounds
from jobplane.core.decoding import Reader, document, readable, texts
from jobplane.core.errors import UnknownQueue
from jobplane.core.model import Claimed, Lease
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks
from jobplane.store.sqlite.moment import SECOND, Moment, instant, known
from jobplane.store.sqlite.statements import verb
from jobplane.store.sqlite.verbs import gates
from jobplane.store.sqlite.verbs.batch import batch
from jobplane.store.sqlite.verbs.candidates import Candidate, Gatekeeper
from jobplane.store.sqlite.verbs.lines import advance, leave_ready

_SQL: Final = verb("claim")
_SHARE: Final = 16  # one job in so many comes from a lower priority
_LOOKS: Final = 10  # so many times the limit are looked at, at most
_CHUNK: Final = 1000
_lease_of: Final = Reader(Lease, job_id=UUID, tenant_id=known, scheduled_for=instant, payload=document)


@dataclass(slots=True)
class _Round:
    """What one claim has found so far."""

    limit: int
    looks: int
    taken: list[Candidate] = field(default_factory=list[Candidate])
    tags: dict[int, int] = field(default_factory=dict[int, int])  # priority: the largest tag taken
    looked: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])  # priority: the last row

    @property
    def left(self) -> int:
        return self.limit - len(self.taken)


@dataclass(frozen=True, slots=True)
class Take:
    """What a claim has leased under its one token: each row with its facts, in order."""

    token: UUID
    until: int
    taken: list[Candidate]
    facts: list[tuple[Any, ...]]
    more: bool

    @property
    def ends(self) -> datetime:
        return instant(self.until)


def claim(db: Conn, moment: Moment, queue: str, worker_id: str, limit: int, lease_seconds: int) -> Claimed:
    took = take(db, moment, queue, worker_id, limit, lease_seconds, begun=True)
    ends = took.ends
    leases = [read(candidate, row, took.token, ends) for candidate, row in zip(took.taken, took.facts, strict=True)]
    return Claimed(leases, took.more)


def take(db: Conn, moment: Moment, queue: str, worker_id: str, limit: int, lease_seconds: int, *, begun: bool) -> Take:
    """What claim and claim_lines do; `begun`: their handlers start at once."""
    bounds.whole("limit", limit, 1, 1000)
    bounds.whole("lease_seconds", lease_seconds, 5, 3600)
    found = db.rows(_SQL["queue"], (checks.text("worker_id", worker_id, 1, 200), checks.text("queue", queue)))
    if not found:
        raise UnknownQueue(f"there is no queue {queue[:200]!r}: put_queues makes it")
    queue_id, paused, turns, knows = found[0]
    lanes = [] if paused else [row[0] for row in db.rows(_SQL["lanes"], (queue_id, queue_id))]
    if not lanes:
        return Take(uuid4(), 0, [], [], more=False)
    db.rows(_SQL["turn"], (queue_id,))
    served = readable(knows, texts)
    keeper = Gatekeeper(db, moment.now, queue, None if served is None else frozenset(served))
    claimed = _Round(limit, _LOOKS * limit)
    for priority, n in _visits(lanes, limit, turns + 1):
        _visit(db, keeper, claimed, queue_id, priority, min(n, claimed.left))
    back = _hold(db, keeper, moment.now)
    for priority, tag in claimed.tags.items():
        advance(db, queue_id, priority, tag)
    token, until = uuid4(), moment.now + lease_seconds * SECOND
    facts = _lease(db, moment.now, claimed.taken, (token, until, worker_id, begun))
    return Take(token, until, claimed.taken, facts, claimed.left > 0 and (claimed.looks <= 0 or back > 0))


def _visits(lanes: Sequence[int], limit: int, turn: int) -> list[tuple[int, int]]:
    """Strict priority, but a sixteenth of what a queue hands out comes from one of the lower priorities, in turn."""
    quota = (limit + turn % _SHARE) // _SHARE
    lower = lanes[1:]
    first = [(lower[turn // _SHARE % len(lower)], quota)] if quota and lower else []
    return [*first, *((priority, limit) for priority in lanes)]


def _visit(db: Conn, keeper: Gatekeeper, claimed: _Round, queue_id: int, priority: int, n: int) -> None:
    """Take up to n rows of one lane; a second visit, and a row that stays where it is, go on behind the last look."""
    size = n
    while n > 0 and claimed.looks > 0:
        rows = db.rows(_SQL["look"], (queue_id, priority, *claimed.looked.get(priority, (-1, -1)), size))
        candidates = [Candidate(*row) for row in rows]
        keeper.learn(candidates)
        for candidate in candidates:
            claimed.looks -= 1
            claimed.looked[priority] = candidate.tag, candidate.seq
            if keeper.passes(candidate):
                claimed.taken.append(candidate)
                claimed.tags[priority] = candidate.tag
                n -= 1
            if not n or not claimed.looks:
                return
        if len(rows) < size:
            return
        size = min(_CHUNK, claimed.looks)


def _hold(db: Conn, keeper: Gatekeeper, now: int) -> int:
    """What a gate shuts goes to held with the reason. How many came back: a definition of their key has another id."""
    gates.count(db, keeper.counted, keeper.full)
    if not keeper.held:
        return 0
    db.rows(_SQL["hold"], (batch(keeper.held),))
    leave_ready(db, [seq for seq, _, _ in keeper.held])
    gone = {gate for _, gate, _ in keeper.held if gate.startswith(gates.GONE)}
    return sum(gates.let_back(db, gate, _CHUNK, now) for gate in gone)


def _lease(db: Conn, now: int, taken: Sequence[Candidate], lease: tuple[UUID, int, str, bool]) -> list[tuple[Any, ...]]:
    if not taken:
        return []
    token, until, worker_id, begun = lease
    seqs = [candidate.seq for candidate in taken]
    text = batch(seqs)
    db.rows(_SQL["lease"], (str(token), now, until, worker_id, int(begun), text))
    leave_ready(db, seqs)
    gates.mark(db, [(candidate.seq, batch(candidate.keys)) for candidate in taken if candidate.keys])
    return db.rows(_SQL["facts"], (text,))


def read(row: Candidate, facts: tuple[Any, ...], token: UUID, ends: datetime) -> Lease:
    """A row that was leased, with its facts, as a lease."""
    job_id, timeout_seconds, *rest = facts
    values = (
        row.seq,
        job_id,
        row.tenant_id,
        row.definition_id,
        row.definition_key,
        row.attempt_no + 1,
        row.attempts_left - 1,
        token,
        ends,
        row.scheduled_for,
        timeout_seconds,
        row.priority,
        bool(row.alone),
        *rest,
    )
    return _lease_of(values)
