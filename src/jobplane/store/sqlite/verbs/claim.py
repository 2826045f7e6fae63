"""claim: lease jobs of one queue, urgent ones first, fair between tenants; what a gate shuts moves to held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID, uuid4

from jobplane.core import bounds
from jobplane.core.claimed import PAYLOAD, USUAL_PRIORITY, JobFacts, encode, encode_plain, encode_rest
from jobplane.core.decoding import FAULTS, LONGEST, Reader, optional, readable, texts
from jobplane.core.errors import UnknownQueue
from jobplane.core.leases import Claimed, Lease
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks, statements
from jobplane.store.sqlite.moment import EARLIEST, LATEST, SECOND, Moment, instant, parse_uuid
from jobplane.store.sqlite.verbs import gates
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.candidates import Candidate, Gatekeeper
from jobplane.store.sqlite.verbs.lanes import advance, leave_ready
from jobplane.store.verbs.engine import Claim

_SQL: Final = statements.load_verb("claim")
_SHARE: Final = 16  # one job in 16 comes from a lower priority
_LOOKS: Final = 10  # a claim looks at up to 10 times its limit
_CHUNK: Final = 1000
_UUID_LENGTH: Final = 36
_HEAD: Final = 4  # of the facts; the others few jobs have
_facts: Final = Reader(
    JobFacts,
    job_id=UUID,
    tenant_id=parse_uuid,
    scheduled_for=instant,
    trigger_id=optional(UUID),
    planned_at=optional(instant),
)


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


def claim(db: Conn, moment: Moment, verb: Claim) -> Claimed:
    bounds.whole("limit", verb.limit, 1, 1000)
    bounds.whole("lease_seconds", verb.lease_seconds, 5, 3600)
    asked = (checks.text("worker_id", verb.worker_id, 1, 200), checks.text("queue", verb.queue))
    found = db.rows(_SQL["queue"], asked)
    if not found:
        raise UnknownQueue(f'There is no queue "{verb.queue[:200]}". Check the spelling, or create it first.')
    queue_id, paused, turns, knows = found[0]
    lanes = [] if paused else [row[0] for row in db.rows(_SQL["lanes"], (queue_id, queue_id))]
    if not lanes:
        return Claimed([])
    db.rows(_SQL["turn"], (queue_id,))
    served = readable(knows, texts)
    keeper = Gatekeeper(db, moment.now, verb.queue, None if served is None else frozenset(served))
    claimed = _Round(verb.limit, _LOOKS * verb.limit)
    for priority, n in _visits(lanes, verb.limit, turns + 1):
        _visit(db, keeper, claimed, queue_id, priority, min(n, claimed.left))
    back = _hold(db, keeper, moment.now)
    for priority, tag in claimed.tags.items():
        advance(db, queue_id, priority, tag)
    return _lease(db, moment.now, claimed, verb, more=claimed.left > 0 and (claimed.looks <= 0 or back > 0))


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
    """Move rows behind a shut gate to held. Answers how many came back: their definition has another id."""
    gates.count(db, keeper.counted, keeper.full)
    if not keeper.held:
        return 0
    db.rows(_SQL["hold"], (batch(keeper.held),))
    leave_ready(db, [seq for seq, _, _ in keeper.held])
    gone = {gate for _, gate, _ in keeper.held if gate.startswith(gates.GONE)}
    return sum(gates.let_back(db, gate, _CHUNK, now) for gate in gone)


def _lease(db: Conn, now: int, claimed: _Round, verb: Claim, *, more: bool) -> Claimed:
    taken = claimed.taken
    if not taken:
        return Claimed([], more=more)
    token, until = uuid4(), now + verb.lease_seconds * SECOND
    seqs = [candidate.seq for candidate in taken]
    text = batch(seqs)
    db.rows(_SQL["lease"], (str(token), now, until, verb.worker_id, int(verb.begun), text))
    leave_ready(db, seqs)
    gates.mark(db, [(candidate.seq, batch(candidate.keys)) for candidate in taken if candidate.keys])
    return Claimed(
        [Lease(row.seq, row.attempt_no + 1, token) for row in taken],
        _jobs(taken, db.rows(_SQL["facts"], (text,))),
        instant(until),
        frozenset(row.seq for row in taken if row.alone or row.isolated),
        frozenset(row.seq for row in taken if row.lasting),
        more,
    )


def _jobs(taken: Sequence[Candidate], facts: Sequence[tuple[Any, ...]]) -> bytes:
    """One row for each lease. Made a second time, value by value, where one of them does not fit into a row."""
    try:
        rows = "\n".join(map(_row, taken, facts))
    except FAULTS:
        rows = ""
    if rows.count("\n") == len(taken) - 1 and rows.count("\t") == PAYLOAD * len(taken):
        return rows.encode()
    return b"\n".join(map(_mend, taken, facts))


def _row(row: Candidate, facts: tuple[Any, ...]) -> str:
    """Raises one of FAULTS where something cannot be decoded: a text that is bytes, an id that is no UUID, a time."""
    job_id, timeout_seconds, payload, source = facts[:_HEAD]
    rest = facts[_HEAD:]
    parse_uuid(row.tenant_id)
    is_uuid = len(job_id) == _UUID_LENGTH  # as a rule: to read it would cost 1 µs
    if not is_uuid or len(payload) > LONGEST or not EARLIEST <= row.scheduled_for <= LATEST:
        raise ValueError("not what a claim hands out")
    return encode_plain(
        row.seq,
        row.attempt_no + 1,
        row.definition_key,
        timeout_seconds,
        row.attempts_left - 1,
        job_id,
        row.tenant_id,
        row.scheduled_for,
        source,
        "" if row.priority == USUAL_PRIORITY and rest.count(None) == len(rest) else _rest(row.priority, rest),
        payload,
    )


def _rest(priority: int, rest: tuple[Any, ...]) -> str:
    """Raises one of FAULTS where a trigger's id or a planned time cannot be decoded."""
    *_, trigger_id, planned_at = rest
    if planned_at is not None and not EARLIEST <= planned_at <= LATEST:
        raise ValueError("not a time")
    if trigger_id is not None:
        UUID(trigger_id)
    return encode_rest(priority, *rest)


def _mend(row: Candidate, facts: tuple[Any, ...]) -> bytes:
    """The same out of what can be decoded. The payload is only cut: whoever runs the job judges it."""
    job_id, timeout_seconds, payload, source, *rest = facts
    head = (row.seq, row.attempt_no + 1, row.definition_key, timeout_seconds, row.attempts_left - 1)
    found = _facts((*head, job_id, row.tenant_id, row.scheduled_for, source, row.priority, *rest))
    return encode(found, (payload if isinstance(payload, bytes) else payload.encode())[:LONGEST])
