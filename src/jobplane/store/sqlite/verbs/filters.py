"""Filters of lists: their candidates from the tables that hold the statuses asked for, and those of them that fit."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from heapq import merge
from itertools import islice
from typing import Any, Final, cast
from uuid import UUID

from jobplane.core import bounds
from jobplane.core.decoding import document, loads, optional, readable, texts
from jobplane.core.errors import Invalid
from jobplane.core.model import JobFilter, JobStatus, Json
from jobplane.core.payload import encode_document
from jobplane.core.searching import hex_of, is_end, judge_filter, written
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks, statements
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.words import SECONDS

SCAN: Final = 10_000
_SQL: Final = statements.load_verb("list_jobs")
_ALL: Final = statements.load_verb("list_all_jobs")
_FOUND: Final = statements.load_verb("find_jobs")["seqs"]
_MINE: Final = statements.load_shared("describe")["seqs"]
_NARROW: Final = (
    *("definitions", "queues", "source", "source_ref", "tags", "metadata", "created_after", "created_before"),
    *("correlation_id", "text", "triggered_by", "trigger_id"),
)
_STEP: Final = 100
S = JobStatus


class Wanted:
    """A filter whose values have been judged."""

    def __init__(self, where: JobFilter) -> None:
        self.statuses = _statuses(where)
        judge_filter(where)
        self.definitions = _listed(where.definitions)
        self.queues = _listed(where.queues)
        self.tags = _listed(where.tags)
        self.correlation_id = where.correlation_id
        self.source = where.source
        self.source_ref = where.source_ref
        self.worker_id = where.worker_id
        self.metadata = None if where.metadata is None else loads(encode_document(where.metadata, "metadata"))
        self.after = checks.instant("created_after", where.created_after)
        self.before = checks.instant("created_before", where.created_before)
        self.text = None if where.text is None else where.text.lower()
        self.hex = None if self.text is None else hex_of(self.text)
        self.triggered_by = where.triggered_by
        self.trigger_id = None if where.trigger_id is None else str(where.trigger_id)
        self.by_facts = _by_facts(self.correlation_id, self.trigger_id, self.metadata or {})
        self.looks_up_status = self.by_facts is not None
        self.is_narrow = any(getattr(where, name) is not None for name in _NARROW)

    @property
    def has_all_statuses(self) -> bool:
        """Whether the state of a job does not matter."""
        return self.by_facts is None and self.statuses == set(S)

    def matches(
        self,
        definition: str,
        queue: str,
        source: str,
        source_ref: str | None,
        tags: str | bytes | None,
        metadata: str | bytes | None,
        at: int,
        triggered_by: str | bytes | None,
        trigger_id: str | None,
    ) -> bool:
        return (
            (self.definitions is None or definition in self.definitions)
            and (self.queues is None or queue in self.queues)
            and (self.source is None or source == self.source)
            and (self.source_ref is None or source_ref == self.source_ref)
            and (self.tags is None or set(self.tags) <= set(readable(tags, texts) or ()))
            and (self.metadata is None or contains(readable(metadata, document), self.metadata))
            and (self.after is None or at >= self.after)
            and (self.before is None or at < self.before)
            and (self.trigger_id is None or trigger_id == self.trigger_id)
            and (self.triggered_by is None or _type(triggered_by) == self.triggered_by)
        )

    def shows(
        self,
        job_id: object,
        correlation_id: object,
        tags: str | bytes | None,
        payload: str | bytes,
        error: object,
        result: str | bytes | None,
    ) -> bool:
        """Whether the text is in one of these."""
        texts_ = (correlation_id, *(readable(tags, texts) or ()), _written(payload), error, _written(result))
        wanted = self.text or ""
        return is_end(self.hex, job_id) or any(isinstance(each, str) and wanted in each.lower() for each in texts_)


def _by_facts(
    correlation_id: str | None, trigger_id: str | None, metadata: Mapping[str, Json]
) -> tuple[str, Json] | None:
    """The statement that finds jobs by an index of their facts, and for what; else the look begins at the status."""
    if correlation_id is not None:
        return "correlated", correlation_id
    if trigger_id is not None:
        return "triggered", trigger_id
    for name, key in (("owned", "owner_user_id"), ("projected", "project_id")):
        value = metadata.get(key)
        if isinstance(value, str) or _fits(value):
            return name, value
    return None


def _fits(value: Json) -> bool:
    """Whether SQLite counts as far."""
    return _number(value) and abs(cast("float", value)) <= bounds.BIGINT


def _statuses(where: JobFilter) -> set[JobStatus]:
    try:
        asked = set(S if where.statuses is None else map(S, where.statuses))
    except ValueError:
        raise Invalid("Unknown status. Use queued, running, succeeded, failed, dead_letter or canceled.") from None
    return asked if where.worker_id is None else asked & {S.RUNNING}


def _listed(names: Sequence[str] | None) -> list[str] | None:
    return None if names is None else list(names)


def seqs_of(db: Conn, tenant: int, wanted: Wanted, before: int, scan: int) -> list[int]:
    """The newest candidates of a tenant, or the job with the whole id that a text is."""
    return _by_id(db, tenant, wanted, before) or _newest(db, tenant, wanted, before, scan)


def _newest(db: Conn, tenant: int, wanted: Wanted, before: int, scan: int) -> list[int]:
    """The newest candidates, each of the tables in order, merged."""
    if wanted.by_facts is not None:
        name, value = wanted.by_facts
        return [row[0] for row in db.rows(_SQL[name], (tenant, value, before, scan))]
    worker = wanted.worker_id
    found: list[list[tuple[Any, ...]]] = []
    for status in wanted.statuses:
        if status is S.QUEUED:
            found += [db.rows(_SQL[state], (tenant, before, scan)) for state in ("ready", "held", "upcoming")]
        elif status is S.RUNNING:
            found.append(db.rows(_SQL["leases"], (tenant, worker, worker, before, scan)))
        else:
            found.append(db.rows(_SQL["endings"], (tenant, status.value, before, scan)))
    return [row[0] for row in islice(merge(*found, reverse=True), scan)]


def seqs_of_all(db: Conn, wanted: Wanted, before: int, limit: int, scan: int) -> tuple[list[int], int | None]:
    """The newest candidates of all tenants, and below which place nothing is known."""
    if by_id := _by_id(db, None, wanted, before):
        return by_id, None
    if wanted.has_all_statuses:
        seqs = [row[0] for row in db.rows(_ALL["newest"], (before, scan))]
        return seqs, seqs[-1] if len(seqs) == scan else None
    tenants = [row[0] for row in db.rows(_ALL["tenants"], ())]
    each = max(limit, scan // len(tenants))
    found = [_newest(db, tenant, wanted, before, each) for tenant in tenants]
    known = max((seqs[-1] for seqs in found if len(seqs) == each), default=None)
    merged = islice(merge(*found, reverse=True), scan)
    seqs = [seq for seq in merged if known is None or seq >= known]
    return seqs, seqs[-1] if len(seqs) == scan else known


def _by_id(db: Conn, tenant: int | None, wanted: Wanted, before: int) -> list[int]:
    """The jobs with the whole id that a text is, however old; None: of all tenants."""
    if wanted.hex is None or len(wanted.hex) < len(UUID(int=0).hex):
        return []
    ids = batch([str(UUID(wanted.hex))])
    rows = db.rows(_FOUND, (ids,)) if tenant is None else db.rows(_MINE, (ids, tenant))
    found = [row[0] for row in rows if row[0] < before]
    wanted.looks_up_status = wanted.looks_up_status or bool(found)
    return sorted(found, reverse=True)


def match(db: Conn, wanted: Wanted, seqs: Sequence[int], enough: int = SCAN + 1) -> tuple[list[int], int | None]:
    """Those that fit, and where the look stopped because it took too long."""
    hits = list[int]()
    done, until = 0, time.monotonic() + SECONDS
    while done < len(seqs) and len(hits) < enough:
        part = seqs[done : done + max(_STEP, done)]
        found, last = _fitting(db, wanted, part, until)
        hits += found
        done += len(part)
        if last is not None:
            return hits, last
    return hits, None


def _fitting(db: Conn, wanted: Wanted, seqs: Sequence[int], until: float) -> tuple[list[int], int | None]:
    rows = db.rows(_SQL["facts"], (batch(seqs),))
    hits = [row[0] for row in rows if wanted.matches(*row[1:])]
    if wanted.looks_up_status:
        now: dict[int, str] = dict(db.rows(_SQL["statuses"], (batch(hits),)))
        hits = [seq for seq in hits if now.get(seq) in wanted.statuses]
        if wanted.worker_id is not None:
            theirs = {row[0] for row in db.rows(_SQL["run_by"], (wanted.worker_id, batch(hits)))}
            hits = [seq for seq in hits if seq in theirs]
    return (hits, None) if wanted.text is None else _showing(db, wanted, hits, until)


def _showing(db: Conn, wanted: Wanted, seqs: Sequence[int], until: float) -> tuple[list[int], int | None]:
    """Those that show the text; some at a time, so that the clock is looked at in between."""
    hits = list[int]()
    for at in range(0, len(seqs), _STEP):
        part = seqs[at : at + _STEP]
        hits += [row[0] for row in db.rows(_SQL["texts"], (batch(part),)) if wanted.shows(*row[1:])]
        if time.monotonic() > until:
            return hits, part[-1]
    return hits, None


def _type(triggered_by: str | bytes | None) -> Json:
    return (readable(triggered_by, optional(document)) or {}).get("type")


def _written(stored: str | bytes | None) -> object:
    """JSON as PostgreSQL writes it; what cannot be decoded as it is."""
    return None if stored is None else readable(stored, lambda text: written(loads(text))) or stored


def contains(whole: Json, part: Json) -> bool:
    """Whether a document has all that another has: PostgreSQL's `@>`, where a number is no truth value."""
    if isinstance(whole, dict) and isinstance(part, dict):
        return all(key in whole and contains(whole[key], value) for key, value in part.items())
    if isinstance(whole, list) and isinstance(part, list):
        return all(any(contains(there, value) for there in whole) for value in part)
    alike = type(whole) is type(part) or (_number(whole) and _number(part))
    return alike and whole == part


def _number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
