"""The simple verbs that users of SQL call, as verbs of a store: claim, renew, release and reap.

Python has one set of verbs on leases, which takes the functions for workers. The tests of both stores call these on
PostgreSQL, so that every rule of the conformance suite and of the model holds for users of SQL too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from jobplane.core.claimed import ClaimedJob, JobFacts, encode
from jobplane.core.decoding import Reader
from jobplane.core.leases import Lease, Settled
from jobplane.core.payload import storable
from jobplane.store.postgres.bindings import BINDINGS
from jobplane.store.postgres.calls.call import Call, Rows, array, column, one
from jobplane.store.postgres.calls.leases import share
from jobplane.store.verbs.verb import EngineVerb, Verb
from tests.leases import Answered, Claims, Held

_facts: Final = Reader(JobFacts)


@dataclass(frozen=True, slots=True)
class SqlClaim(EngineVerb[Claims]):
    queue: str
    worker_id: str
    limit: int = 1
    lease_seconds: int = 30


@dataclass(frozen=True, slots=True)
class SqlRenew(EngineVerb[list[Answered]]):
    leases: Sequence[Lease]
    lease_seconds: int = 30
    progress: Sequence[float | None] | None = None
    messages: Sequence[str | None] | None = None


@dataclass(frozen=True, slots=True)
class SqlRelease(EngineVerb[list[Settled]]):
    leases: Sequence[Lease]
    reason: str = "shutdown"
    after: float = 0


@dataclass(frozen=True, slots=True)
class SqlReap(EngineVerb[int]):
    limit: int = 500


def _claim(verb: SqlClaim) -> Call[Claims]:
    return Call(
        "worker",
        "select token, lease_expires_at, alone, payload::text, seq, attempt_no, definition_key, timeout_seconds,"
        " attempts_left, job_id, tenant_id, scheduled_for, source, priority, artifact_ref, correlation_id,"
        " trace_context, source_ref, created_by, trigger_id, planned_at, more"
        " from jobplane.claim(%s::text, %s::text, %s::int, %s::int)",
        (verb.queue, verb.worker_id, verb.limit, verb.lease_seconds),
        _claims,
    )


def _claims(rows: Rows) -> Claims:
    return Claims([_held(*row[:-1]) for row in rows if row[4] is not None], bool(rows) and rows[-1][-1])


def _held(token: Any, expires_at: Any, alone: bool, payload: str, *facts: Any) -> Held:
    found = Held(facts[0], facts[1], token)
    found.job = ClaimedJob(encode(_facts(facts), payload.encode()))
    found.lease_expires_at, found.alone = expires_at, alone
    return found


def _renew(verb: SqlRenew) -> Call[list[Answered]]:
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
        lambda rows: [Answered(*row) for row in rows],
    )


def _release(verb: SqlRelease) -> Call[list[Settled]]:
    return Call(
        "worker",
        "select seq, attempt_no, accepted, status"
        " from jobplane.release(%s::bigint[], %s::int[], %s::uuid[], %s::text, %s::float8)",
        (*_fence(verb.leases), storable(verb.reason), verb.after),
        lambda rows: [Settled(*row) for row in rows],
    )


def _fence(leases: Sequence[Lease]) -> tuple[str, str, str]:
    return array(x.seq for x in leases), array(x.attempt_no for x in leases), array(x.token for x in leases)


def _reap(verb: SqlReap) -> Call[int]:
    return Call("worker", "select jobplane.reap(%s::int)", (verb.limit,), one)


cast("dict[type[Verb[Any]], Callable[[Any], Call[Any]]]", BINDINGS).update(
    {SqlClaim: _claim, SqlRenew: _renew, SqlRelease: _release, SqlReap: _reap}
)
