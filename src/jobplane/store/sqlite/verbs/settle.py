"""settle: how the holder of a lease ends its attempts; a stale one changes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from jobplane.core import bounds
from jobplane.core.decoding import readable
from jobplane.core.leases import SUCCEEDED, Ending, Lease, Settled
from jobplane.core.lifecycle import Decision, Leased, decide
from jobplane.core.model import Backoff, JobStatus, Outcome
from jobplane.core.payload import storable
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks, statements
from jobplane.store.sqlite.moment import Moment, after, format_uuid, instant
from jobplane.store.sqlite.verbs import gates
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.lanes import free_keys
from jobplane.store.verbs.engine import Settle

_SQL: Final = statements.load_verb("settle")
_YEAR: Final = 31_536_000
_PLAIN: Final = (None, None, None, None)
_NO_POLICY: Final = (0, 0.0, 1.0, 0.0, 0.0)  # of a lease whose job has no row
_REAPED: Final = "lease_expired"  # the reason that only the reaper gives
_STATUSES: Final = frozenset(status.value for status in JobStatus)


class FencedEnding(NamedTuple):
    """An attempt that ends: its fence, and how it ended, fit to be kept."""

    fence: tuple[int, int, str]  # seq, attempt_no, token
    ending: Ending

    @property
    def seq(self) -> int:
        return self.fence[0]

    @property
    def succeeded(self) -> bool:
        return self.ending.outcome is Outcome.SUCCEEDED

    @property
    def plain(self) -> bool:
        """A success that leaves nothing but a result."""
        x = self.ending
        return x is SUCCEEDED or (self.succeeded and (x.reason, x.error, x.exit_code, x.progress) == _PLAIN)


def settle(db: Conn, moment: Moment, verb: Settle) -> list[Settled]:
    most = bounds.whole("max_interruptions", verb.max_interruptions)
    ended = [FencedEnding(fence(lease), _clean(ending)) for lease, ending in verb.settlements]
    answers = end(db, moment, ended, most, tells_next=verb.setbacks)
    if not verb.exceptions_only:
        return answers
    told = zip(answers, ended, strict=True)
    return [answer for answer, x in told if not answer.accepted or (verb.setbacks and not x.succeeded)]


def _clean(x: Ending) -> Ending:
    """The same with values that a store can keep."""
    if x is SUCCEEDED:
        return x
    return x._replace(
        outcome=Outcome(x.outcome),
        reason=storable(x.reason),
        error=storable(x.error),
        exit_code=checks.exit_code(x.exit_code),
        retry_after=None if x.retry_after is None else bounds.number("retry_after", x.retry_after, 0, _YEAR),
        progress=checks.share(x.progress),
    )


def fence(lease: Lease) -> tuple[int, int, str]:
    """What proves that a lease is still the same: seq, attempt_no, token."""
    return lease.seq, lease.attempt_no, format_uuid(lease.token)


def end(
    db: Conn,
    moment: Moment,
    ended: Sequence[FencedEnding],
    max_interruptions: int = 20,
    *,
    tells_next: bool = False,
) -> list[Settled]:
    """End the attempts whose lease is theirs; the others learn what they led to, or that they are stale."""
    leases = {row[:3]: row[3:] for row in db.rows(_SQL["leases"], (batch(x.seq for x in ended),))}
    mine: dict[tuple[int, int, str], FencedEnding] = {}
    for x in ended:
        if x.fence in leases:
            mine.setdefault(x.fence, x)
    ours = list(mine.values())
    plain = [x for x in ours if x.plain]
    others = [x for x in ours if not x.plain] if len(plain) < len(ours) else []
    led = {x.fence: JobStatus.SUCCEEDED for x in plain}
    _succeed(db, moment.now, plain)
    decisions = _decide(db, moment, others, leases, max_interruptions)
    led |= {of: decision.status for of, decision in decisions.items()}
    _leave(db, ours, leases, led)
    rest = [x for x in ended if mine.get(x.fence) is not x]
    before = _find_recorded(db, rest) if rest else {}
    answers = [_answer(x, led[x.fence] if mine.get(x.fence) is x else None, before) for x in ended]
    return _add_next(db, answers) if tells_next else answers


def _succeed(db: Conn, now: int, ended: Sequence[FencedEnding]) -> None:
    if ended:
        seqs = batch(x.seq for x in ended)
        db.rows(_SQL["succeeded_attempts"], (now, seqs))
        db.rows(_SQL["succeeded_endings"], (now, seqs))
        _keep_results(db, ended)


def _keep_results(db: Conn, ended: Sequence[FencedEnding]) -> None:
    if results := [(x.seq, x.ending.result) for x in ended if x.ending.result is not None]:
        db.rows(_SQL["results"], (batch(results),))


def _decide(
    db: Conn,
    moment: Moment,
    ended: Sequence[FencedEnding],
    leases: Mapping[tuple[Any, ...], tuple[Any, ...]],
    max_interruptions: int,
) -> dict[tuple[int, int, str], Decision]:
    """Whatever is not a plain success goes where the specification says."""
    if not ended:
        return {}
    policies = {row[0]: row[1:] for row in db.rows(_SQL["policies"], (batch(x.seq for x in ended),))}
    decided = [
        (
            x,
            decide(
                _read_leased(leases[x.fence], policies.get(x.seq, _NO_POLICY)),
                x.ending.outcome,
                reason=x.ending.reason,
                retry_after=x.ending.retry_after,
                dice=moment.dice(),
                max_interruptions=max_interruptions,
            ),
        )
        for x in ended
    ]
    _write(db, moment.now, decided)
    return {x.fence: decision for x, decision in decided}


def _read_leased(lease: tuple[Any, ...], policy: tuple[Any, ...]) -> Leased:
    attempts_left, interruptions, canceled, reason, alone, *_ = lease
    max_attempts, *backoff = policy
    why = reason.decode(errors="replace") if isinstance(reason, bytes) else reason
    return Leased(attempts_left, max_attempts, interruptions, bool(canceled), why, Backoff(*backoff), bool(alone))


def _write(db: Conn, now: int, decided: Sequence[tuple[FencedEnding, Decision]]) -> None:
    attempts = [
        (x.seq, end.outcome.value, d.status.value, end.exit_code, end.progress, end.reason, end.error)
        for x, d in decided
        for end in (x.ending,)
    ]
    db.rows(_SQL["attempts"], (now, batch(attempts)))
    back = [
        (x.seq, after(now, d.delay_seconds or 0), d.attempts_left, d.interruptions, int(d.alone))
        for x, d in decided
        if d.status is JobStatus.QUEUED
    ]
    if back:
        db.rows(_SQL["upcoming"], (batch(back),))
    over = [(x.seq, d.status.value, d.reason) for x, d in decided if d.status is not JobStatus.QUEUED]
    if over:
        db.rows(_SQL["endings"], (now, batch(over)))
    _keep_results(db, [x for x, d in decided if d.status is JobStatus.SUCCEEDED])


def _leave(
    db: Conn,
    ours: Sequence[FencedEnding],
    leases: Mapping[tuple[Any, ...], tuple[Any, ...]],
    led: Mapping[tuple[int, int, str], JobStatus],
) -> None:
    """Delete the leases, release the dedupe keys of ended jobs, and free the slots."""
    if not ours:
        return
    db.rows(_SQL["leave"], (batch(x.seq for x in ours),))
    free_keys(db, [x.seq for x in ours if leases[x.fence][5] and led[x.fence] is not JobStatus.QUEUED])
    held = [gates.keys_of(leases[x.fence][6]) for x in ours]
    if freed := Counter(key for keys in held for key in keys or ()):
        gates.give_back(db, freed)
    if None in held:
        gates.recount(db)


def _find_recorded(db: Conn, rest: Sequence[FencedEnding]) -> dict[tuple[Any, ...], str]:
    """Where the recorded attempts led, by fence, outcome and whether the reaper ended them."""
    rows = db.rows(_SQL["before"], (batch(x.seq for x in rest),))
    return {(*row[:4], row[5] == _REAPED): row[4] for row in rows if row[4] in _STATUSES}


def _answer(x: FencedEnding, led: JobStatus | None, recorded: Mapping[tuple[Any, ...], str]) -> Settled:
    """A repeat gets the same answer. Another outcome is stale, and so is any outcome that comes after the reaper."""
    said = x.ending
    status = recorded.get((*x.fence, said.outcome.value, said.reason == _REAPED)) if led is None else led.value
    return Settled(x.fence[0], x.fence[1], status is not None, "stale" if status is None else status)


def _add_next(db: Conn, answers: Sequence[Settled]) -> list[Settled]:
    """Say when each job that was queued again may start, unless its next attempt has been claimed since."""
    queued = [answer.seq for answer in answers if answer.status == JobStatus.QUEUED.value]
    rows = db.rows(_SQL["waiting"], (batch(queued),)) if queued else []
    starts = {(seq, attempt_no): readable(at, instant) for seq, attempt_no, at in rows}
    return [
        answer._replace(next_at=starts.get(answer[:2])) if answer.status == JobStatus.QUEUED.value else answer
        for answer in answers
    ]
