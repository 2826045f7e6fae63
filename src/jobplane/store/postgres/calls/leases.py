"""The engine's verbs on leases, and the upkeep."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from jobplane.core.decoding import Reader, as_object
from jobplane.core.model import Claimed, DueChores, HeldSnapshot, Lease, Renewed, Settled
from jobplane.core.payload import encode_result, storable
from jobplane.store.postgres.calls.call import Call, Rows, array, asks, column, nothing, one
from jobplane.store.verbs.engine import (
    Claim,
    Expire,
    FindDueChores,
    FindSnapshots,
    Promote,
    Reap,
    Release,
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
_lease: Final = Reader(Lease, payload=as_object)
_HELD: Final = asks(HeldSnapshot)


def claim(verb: Claim) -> Call[Claimed]:
    return Call(
        "worker",
        "select seq, job_id, tenant_id, definition_id, definition_key, attempt_no, attempts_left, token,"
        " lease_expires_at, scheduled_for, timeout_seconds, priority, alone, payload, artifact_ref, correlation_id,"
        " trace_context, source, source_ref, more"
        " from jobplane.claim(%s::text, %s::text, %s::int, %s::int)",
        (verb.queue, verb.worker_id, verb.limit, verb.lease_seconds),
        _claimed,
    )


def _claimed(rows: Rows) -> Claimed:
    """The last column says whether to ask again at once; it stands in a row without a lease."""
    more = bool(rows) and rows[-1][-1]
    return Claimed([_lease(row[:-1]) for row in rows if row[0] is not None], more)


def renew(verb: Renew) -> Call[list[Renewed]]:
    return Call(
        "worker",
        "select seq, answer, lease_expires_at"
        " from jobplane.renew(%s::bigint[], %s::int[], %s::uuid[], %s::int, %s::real[], %s::text[])",
        (
            *_fence(verb.leases),
            verb.lease_seconds,
            None if verb.progress is None else array(map(share, verb.progress)),
            column([storable(message) for message in verb.messages or ()]),
        ),
        lambda rows: [Renewed(*row) for row in rows],
    )


def settle(verb: Settle) -> Call[list[Settled]]:
    outcomes = verb.outcomes
    results = [None if o.result is None else encode_result(o.result) for o in outcomes]
    return Call(
        "worker",
        "select seq, attempt_no, accepted, status"
        " from jobplane.settle(%s::bigint[], %s::int[], %s::uuid[], %s::jobplane.attempt_outcome[], %s::text[],"
        " %s::text[], %s::int[], %s::float8[], %s::text[]::jsonb[], %s::real[], %s::int)",
        (
            *_fence([o.lease for o in outcomes]),
            array(o.outcome.value for o in outcomes),
            column([storable(o.reason) for o in outcomes]),
            column([storable(o.error) for o in outcomes]),
            column([exit_code(o.exit_code) for o in outcomes]),
            column([o.retry_after for o in outcomes]),
            column(results),
            column([share(o.progress) for o in outcomes]),
            verb.max_interruptions,
        ),
        _settled,
    )


def release(verb: Release) -> Call[list[Settled]]:
    return Call(
        "worker",
        "select seq, attempt_no, accepted, status"
        " from jobplane.release(%s::bigint[], %s::int[], %s::uuid[], %s::text, %s::float8)",
        (*_fence(verb.leases), storable(verb.reason), verb.after),
        _settled,
    )


def _fence(leases: Sequence[Lease]) -> tuple[str, str, str]:
    return array(x.seq for x in leases), array(x.attempt_no for x in leases), array(x.token for x in leases)


def share(progress: object) -> float | None:
    """Between 0 and 1: what a handler says of its progress may not cost the batch, or the lease."""
    if not isinstance(progress, int | float) or math.isnan(progress):
        return None
    return float(min(max(progress, 0), 1))


def exit_code(code: object) -> int | None:
    return min(max(code, -_INT), _INT) if isinstance(code, int) else None


def _settled(rows: Rows) -> list[Settled]:
    return [Settled(*row) for row in rows]


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


def reap(verb: Reap) -> Call[int]:
    return Call("worker", "select jobplane.reap(%s::int)", (verb.limit,), one)


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
