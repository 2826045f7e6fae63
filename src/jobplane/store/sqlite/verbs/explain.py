"""explain: why one job waits, runs or has ended."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from jobplane.core.decoding import Reader, names_of, optional, readable
from jobplane.core.explanation import Evidence, Explanation, State, explain
from jobplane.core.model import Job, JobStatus
from jobplane.store.base import Conn
from jobplane.store.sqlite import statements
from jobplane.store.sqlite.moment import Moment, instant
from jobplane.store.sqlite.verbs import gates
from jobplane.store.sqlite.verbs.moves import tenant_no
from jobplane.store.sqlite.verbs.read import describe, find_seq
from jobplane.store.verbs.jobs import Explain

_SQL: Final = statements.load_verb("explain")
_IDS: Final = 10
_TIMES: Final = ("queue_paused_at", "tenant_paused_at", "deleted_at", "last_worker_seen_at")
_OF_JOB: Final = tuple(name for name in names_of(Evidence) if name in names_of(Job))
_evidence: Final = Reader(Evidence, active=bool, **dict.fromkeys(_TIMES, optional(instant)))
_Facts = dict[str, Any]


def explain_job(db: Conn, moment: Moment, verb: Explain) -> Explanation:
    tenant, seq = tenant_no(db, verb.tenant), find_seq(db, verb.tenant, verb.job_id)
    [(_, job)] = describe(db, [seq])
    place = _place(db, tenant, seq)
    facts: _Facts = {name: getattr(job, name) for name in _OF_JOB}
    facts |= {"now": instant(moment.now), "job_id": verb.job_id, "state": _state(job, place), **place}
    facts |= _queue(db, seq) | _tenant(db, tenant) | _definition(db, seq)
    facts |= _workers(db, moment, job, facts["kind"])
    facts |= _limits(db, tenant, facts)
    found = _evidence([facts[name] for name in names_of(Evidence)])
    return explain(replace(found, undecodable=(*found.undecodable, *job.undecodable)))


def _state(job: Job, place: _Facts) -> State:
    if job.status is JobStatus.QUEUED:
        return "ready" if place["before"] is not None else "held" if job.held_by is not None else "upcoming"
    return "leased" if job.status is JobStatus.RUNNING else "ended"


def _named(names: tuple[str, ...], rows: list[tuple[Any, ...]]) -> _Facts:
    """The first row by the names of its columns; without a row each is None."""
    return dict(zip(names, rows[0] if rows else (None,) * len(names), strict=True))


def _queue(db: Conn, seq: int) -> _Facts:
    return _named(("queue_paused_at", "queue_paused_by", "queue_paused_reason"), db.rows(_SQL["queue"], (seq,)))


def _tenant(db: Conn, tenant: int) -> _Facts:
    names = ("tenant_paused_at", "tenant_paused_by", "tenant_paused_reason", "max_in_flight")
    return _named(names, db.rows(_SQL["tenant"], (tenant,)))


def _definition(db: Conn, seq: int) -> _Facts:
    names = ("definition_id", "kind", "active", "deleted_at", "max_running", "max_running_per_tenant")
    found = _named(names, db.rows(_SQL["definition"], (seq,)))
    return {**found, "has_definition": found["definition_id"] is not None}


def _workers(db: Conn, moment: Moment, job: Job, kind: str | None) -> _Facts:
    serving, knowing, mismatched, last, hostname = 0, list[str](), list[str](), (None, None), None
    for worker_id, host, queues, definitions, differs, seen_at in db.rows(_SQL["workers"], ()):
        if worker_id == job.worker_id:
            hostname = host
        served = gates.worker(queues, definitions, differs)
        if served is None or job.queue not in served.queues:
            continue
        is_live, knows = seen_at > moment.now - gates.LIVE, served.knows(job.definition_key, kind)
        serving += is_live
        if is_live and isinstance(worker_id, str) and served.differs(job.definition_key, kind):
            mismatched.append(worker_id)
        if knows and is_live and isinstance(worker_id, str):
            knowing.append(worker_id)
        elif knows and not is_live and last == (None, None):
            last = worker_id, seen_at
    return {
        "serving": serving,
        "knowing": sorted(knowing)[:_IDS],
        "mismatched": sorted(mismatched)[:_IDS],
        "last_worker_id": last[0],
        "last_worker_seen_at": last[1],
        "hostname": hostname,
    }


def _limits(db: Conn, tenant: int, facts: _Facts) -> _Facts:
    definition_id = facts["definition_id"]
    of_tenant, of_definition = f"t/{tenant}", f"d/{definition_id}"
    of_both = f"dt/{definition_id}/{tenant}"
    used = gates.count_used(db, [of_tenant, of_definition, of_both])
    waits = facts["status"] is JobStatus.QUEUED
    is_limited = waits and (facts["max_running"] is not None or facts["max_running_per_tenant"] is not None)
    return {
        "tenant_used": used.get(of_tenant, 0),
        "definition_used": used.get(of_definition, 0),
        "definition_tenant_used": used.get(of_both, 0),
        "tenant_jobs": _running(db, tenant, None) if waits and facts["max_in_flight"] is not None else [],
        "definition_jobs": _running(db, tenant, definition_id) if is_limited else [],
        "own_running": db.rows(_SQL["own"], (tenant, definition_id))[0][0] if is_limited else 0,
    }


def _running(db: Conn, tenant: int, definition_id: int | None) -> list[UUID]:
    rows = db.rows(_SQL["running"], (tenant, definition_id, definition_id, _IDS))
    return [job_id for (text,) in rows if (job_id := readable(text, UUID)) is not None]


def _place(db: Conn, tenant: int, seq: int) -> _Facts:
    """Where a ready job stands in its lane."""
    for tag, queue_id, priority in db.rows(_SQL["place"], (seq,)):
        [(before,)] = db.rows(_SQL["before"], (tenant, queue_id, priority, tag))
        [(tenants,)] = db.rows(_SQL["tenants"], (queue_id, priority))
        return {"before": before, "lane_tenants": tenants}
    return {"before": None, "lane_tenants": None}
