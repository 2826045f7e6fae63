"""The engine's verbs on leases, and the upkeep."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from jobplane.core.decoding import Reader
from jobplane.core.leases import SUCCEEDED, Claimed, Ending, Lease, Reaped, Renewal, Renewed, Settled
from jobplane.core.model import DueChores, HeldSnapshot
from jobplane.core.payload import storable
from jobplane.store.postgres.calls.call import Call, Rows, array, asks, column, nothing, one, texts
from jobplane.store.verbs.engine import (
    Claim,
    Expire,
    FindDueChores,
    FindSnapshots,
    Promote,
    Reap,
    Renew,
    Settle,
    Sweep,
    Tick,
    Tidy,
    Vacuum,
    WakeIdle,
)

# What inserts and deletes at the rate of the jobs; autovacuum wakes once a minute, which is too late for them.
HOT: Final = (
    "ready",
    "held",
    "upcoming",
    "leases",
    "limits",
    "clocks",
    "dedupe",
    "new_ids",
    "expiring",
    "pending",
    "queues",
    "workers",
)
_INT: Final = 2**31 - 1
_PLAIN: Final = SUCCEEDED[:-1]  # but for the handler's own time, which no store keeps
_REAPED: Final = asks(Reaped)
_reaped: Final = Reader(Reaped)
_HELD: Final = asks(HeldSnapshot)


def claim(verb: Claim) -> Call[Claimed]:
    return Call(
        "worker",
        "select seqs, attempt_nos, token, jobs, lease_expires_at, alone, lasting, more"
        " from jobplane.claim_encoded(%s::text, %s::text, %s::int, %s::int, %s::boolean)",
        (verb.queue, verb.worker_id, verb.limit, verb.lease_seconds, verb.begun),
        _read_claimed,
        binary=True,
    )


def _read_claimed(rows: Rows) -> Claimed:
    seqs, attempt_nos, token, jobs, expires_at, alone, lasting, more = rows[0]
    if seqs is None:
        return Claimed([], more=more)
    leases = [Lease(seq, no, token) for seq, no in zip(seqs, attempt_nos, strict=True)]
    return Claimed(leases, jobs, expires_at, frozenset(alone or ()), frozenset(lasting or ()), more)


def renew(verb: Renew) -> Call[Renewed]:
    seqs = [lease[0] for lease in verb.leases]
    started = frozenset(verb.begun)
    said = [verb.progress.get(seq, (None, None)) for seq in seqs] if verb.progress else []
    return Call(
        "worker",
        "select seq, answer, lease_expires_at"
        " from jobplane.renew_all(%s::bigint[], %s::int[], %s::uuid[], %s::int, %s::boolean[], %s::real[],"
        " %s::text[], true)",
        (
            *_fence(verb.leases),
            verb.lease_seconds,
            array("t" if seq in started else "f" for seq in seqs) if started else None,
            array(share(part) for part, _ in said) if said else None,
            _texts([storable(text) for _, text in said]),
        ),
        _read_renewed,
    )


def _read_renewed(rows: Rows) -> Renewed:
    """The last row says when the leases end."""
    return Renewed(rows[-1][2], [Renewal(seq, answer) for seq, answer, _ in rows[:-1]])


def settle(verb: Settle) -> Call[list[Settled]]:
    """Send only the outcomes if all attempts are plain successes."""
    leases = [lease for lease, _ in verb.settlements]
    endings = [ending for _, ending in verb.settlements]
    is_plain = endings.count(SUCCEEDED) == len(endings) or all(x is SUCCEEDED or x[:-1] == _PLAIN for x in endings)
    return Call(
        "worker",
        "select seq, attempt_no, accepted, status, next_at"
        " from jobplane.settle(%s::bigint[], %s::int[], %s::uuid[], %s::jobplane.attempt_outcome[], %s::text[],"
        " %s::text[], %s::int[], %s::float8[], %s::text[]::jsonb[], %s::real[], %s::int, %s::boolean, %s::boolean)",
        (
            *_fence(leases),
            *(_plain(len(endings)) if is_plain else _columns(endings)),
            verb.max_interruptions,
            verb.exceptions_only,
            verb.setbacks,
        ),
        lambda rows: [Settled(*row) for row in rows],
    )


def _plain(n: int) -> tuple[object, ...]:
    return ("{" + ",".join(["succeeded"] * n) + "}", None, None, None, None, None, None)


def _columns(endings: Sequence[Ending]) -> tuple[object, ...]:
    return (
        array(x.outcome.value for x in endings),
        _texts([storable(x.reason) for x in endings]),
        _texts([storable(x.error) for x in endings]),
        column([exit_code(x.exit_code) for x in endings]),
        column([x.retry_after for x in endings]),
        _texts([x.result for x in endings]),
        column([share(x.progress) for x in endings]),
    )


def _texts(values: Sequence[str | None]) -> str | None:
    """A column of texts, which may be megabytes; None where no row has one."""
    return texts(values) if any(value is not None for value in values) else None


def _fence(leases: Sequence[Lease]) -> tuple[str, str, str]:
    """The three columns that prove leases. A claim's leases share one token object, whose text is made once."""
    written: dict[int, str] = {}
    for _, _, token in leases:
        if id(token) not in written:
            written[id(token)] = str(token)
    return (
        "{" + ",".join([str(lease[0]) for lease in leases]) + "}",
        "{" + ",".join([str(lease[1]) for lease in leases]) + "}",
        "{" + ",".join([written[id(lease[2])] for lease in leases]) + "}",
    )


def reap(verb: Reap) -> Call[list[Reaped]]:
    return Call("worker", _REAPED + "reap_all(%s::int)", (verb.limit,), lambda rows: [_reaped(row) for row in rows])


def share(progress: object) -> float | None:
    """Between 0 and 1: what a handler says of its progress may not cost the batch, or the lease."""
    if not isinstance(progress, int | float) or math.isnan(progress):
        return None
    return float(min(max(progress, 0), 1))


def exit_code(code: object) -> int | None:
    return min(max(code, -_INT), _INT) if isinstance(code, int) else None


def find_due_chores(verb: FindDueChores) -> Call[DueChores]:
    def read(rows: Rows) -> DueChores:
        [(other_seconds, next_seconds, due, took)] = rows
        found = dict(zip(verb.chores, due or (), strict=False))
        return DueChores(
            other_seconds,
            next_seconds,
            frozenset(chore for chore in found if found[chore]),
            dict(zip(found, took or (), strict=True)),
        )

    return Call(
        "worker",
        "select other_seconds, next_seconds, due, took from jobplane.due_chores(%s::text[], %s::text)",
        (list(verb.chores), verb.by),
        read,
    )


def promote(verb: Promote) -> Call[int]:
    return Call("worker", "select jobplane.promote(%s::int)", (verb.limit,), one)


def expire(verb: Expire) -> Call[int]:
    return Call("worker", "select jobplane.expire(%s::int)", (verb.limit,), one)


def sweep(verb: Sweep) -> Call[int]:
    return Call("worker", "select jobplane.sweep(%s::int)", (verb.limit,), one)


def tick(verb: Tick) -> Call[int]:
    return Call("worker", "select jobplane.tick(%s::boolean)", (verb.full,), one)


def wake_idle(_: WakeIdle) -> Call[int]:
    return Call("worker", "select jobplane.wake_idle()", (), one)


def find_snapshots(_: FindSnapshots) -> Call[list[HeldSnapshot]]:
    return Call("worker", _HELD + "held_snapshots()", (), lambda rows: [HeldSnapshot(*row) for row in rows])


def tidy(_: Tidy) -> Call[int]:
    return Call("worker", "select jobplane.tidy()", (), one)


def vacuum(_: Vacuum) -> Call[None]:
    """Outside a transaction; a table that somebody else is vacuuming is left to them."""
    tables = ", ".join("jobplane." + table for table in HOT)
    options = "vacuum (skip_locked, truncate off, index_cleanup on, parallel 0) "
    return Call("maintenance", options + tables, (), nothing)
