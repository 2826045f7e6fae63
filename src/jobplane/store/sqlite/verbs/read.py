"""What can be read of jobs: whole jobs, attempts, results, counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from operator import itemgetter
from typing import Final
from uuid import UUID

from jobplane.core import bounds
from jobplane.core.decoding import Reader, document, loads, optional, readable, texts
from jobplane.core.errors import Invalid, JobNotFound
from jobplane.core.model import Attempt, Job, JobStatus, Json, Outcome, Summary, TenantDepth
from jobplane.core.paging import Page, page_of
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks, statements
from jobplane.store.sqlite.moment import SECOND, Moment, instant, parse_uuid
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.moves import tenant_no
from jobplane.store.verbs.jobs import GetJobs, GetResult, ListAttempts, Summarize
from jobplane.store.verbs.operator import CountTenants, FindJobs, SummarizeAll

_CAP: Final = 10_000
_COUNTS: Final = 9  # the first fields of a summary
_MOST: Final = 1000
_MOST_FOUND: Final = 200
_TIMES: Final = (
    *("created_at", "scheduled_for", "expires_at", "started_at", "first_started_at", "finished_at"),
    *("lease_expires_at", "cancel_requested_at", "canceled_at", "planned_at", "updated_at"),
)
_job: Final = Reader(
    Job,
    id=UUID,
    tenant_id=parse_uuid,
    status=JobStatus,
    payload=document,
    tags=lambda text: [] if text is None else texts(text),
    metadata=lambda text: {} if text is None else document(text),
    result=loads,
    trigger_id=optional(UUID),
    triggered_by=optional(document),
    **dict.fromkeys(_TIMES, instant),
)
_attempt: Final = Reader(
    Attempt,
    outcome=optional(Outcome),
    led_to=optional(JobStatus),
    **dict.fromkeys(("scheduled_for", "started_at", "finished_at"), instant),
)


def get_jobs(db: Conn, _: Moment, verb: GetJobs) -> list[Job]:
    asked = list(dict.fromkeys(checks.uuids(verb.ids)))
    if len(asked) > _MOST:
        raise Invalid(f"Cannot get {len(asked)} jobs in one call. Ask for at most {_MOST} ids at a time.")
    rows = db.rows(statements.load_shared("describe")["seqs"], (batch(asked), tenant_no(db, verb.tenant)))
    return [job for _, job in describe(db, [row[0] for row in rows])]


def find_jobs(db: Conn, _: Moment, verb: FindJobs) -> list[Job]:
    asked = list(dict.fromkeys(checks.uuids(verb.ids)))
    if len(asked) > _MOST_FOUND:
        raise Invalid(f"Cannot find {len(asked)} jobs in one call. Ask for at most {_MOST_FOUND} ids at a time.")
    rows = db.rows(statements.load_verb("find_jobs")["seqs"], (batch(asked),))
    return [job for _, job in describe(db, [row[0] for row in rows])]


def describe(db: Conn, seqs: Sequence[int]) -> list[tuple[int, Job]]:
    """Whole jobs with their seqs, in the order given."""
    rows = db.rows(statements.load_shared("describe")["jobs"], (batch(seqs),)) if seqs else []
    return [(row[-1], _job(row[:-1])) for row in rows]


def list_attempts(db: Conn, _: Moment, verb: ListAttempts) -> Page[Attempt, int]:
    most = min(max(bounds.whole("limit", verb.limit), 1), 1000)
    first = bounds.INT if verb.before is None else bounds.whole("before", verb.before)
    seq = find_seq(db, verb.tenant, verb.job_id)
    rows = db.rows(statements.load_verb("list_attempts")["list"], (seq, first, seq, first, seq, most))
    return page_of(rows, most, _attempt, itemgetter(0))


def get_result(db: Conn, _: Moment, verb: GetResult) -> Json:
    """None also where it cannot be decoded; the job itself says so."""
    return readable(_find(db, verb.tenant, verb.job_id)[1], loads)


def find_seq(db: Conn, tenant: UUID, job_id: UUID) -> int:
    """The number of a job inside, or JobNotFound."""
    return _find(db, tenant, job_id)[0]


def _find(db: Conn, tenant: UUID, job_id: UUID) -> tuple[int, str | bytes | None]:
    rows = db.rows(statements.load_verb("get_result")["result"], (tenant_no(db, tenant), checks.uuid(job_id)))
    if not rows:
        raise JobNotFound(f"There is no job {job_id}.")
    return rows[0][0], rows[0][1]


def summarize(db: Conn, moment: Moment, verb: Summarize) -> Summary:
    return _summary(db, moment, tenant_no(db, verb.tenant))


def summarize_all(db: Conn, moment: Moment, _: SummarizeAll) -> Summary:
    tenants = [row[0] for row in db.rows(statements.load_verb("list_all_jobs")["tenants"], ())]
    found = [_summary(db, moment, number) for number in tenants]
    counts = [sum(counted) for counted in zip(*(astuple(one)[:_COUNTS] for one in found), strict=True)]
    waits = [one.oldest_due_seconds for one in found if one.oldest_due_seconds is not None]
    is_capped = any(one.is_capped for one in found)
    return Summary(*counts, oldest_due_seconds=max(waits, default=None), is_capped=is_capped)


def _summary(db: Conn, moment: Moment, number: int) -> Summary:
    *counts, oldest = db.rows(statements.load_verb("summary")["counts"], [number] * 10)[0]
    ready, held, upcoming, running, succeeded, failed, dead_letter, canceled = counts
    times = [at for at in (oldest, _oldest_ready(db, number)) if at is not None and at <= moment.now]
    return Summary(
        ready + held + upcoming,
        *(running, succeeded, failed, dead_letter, canceled, ready, held, upcoming),
        oldest_due_seconds=(moment.now - min(times)) / SECOND if times else None,
        is_capped=max(counts) == _CAP,
    )


def count_tenants(db: Conn, moment: Moment, verb: CountTenants) -> list[TenantDepth]:
    asked = checks.uuids(verb.tenants)
    if len(asked) > _MOST:
        raise Invalid(f"Cannot count the jobs of {len(asked)} tenants in one call. Ask for at most {_MOST} at a time.")
    rows = db.rows(statements.load_verb("tenant_depths")["tenants"], (batch(asked),))
    return [_depth(parse_uuid(tenant), _summary(db, moment, number)) for number, tenant in rows]


def _depth(tenant: UUID, s: Summary) -> TenantDepth:
    return TenantDepth(tenant, s.ready, s.held, s.upcoming, s.running, s.dead_letter, s.oldest_due_seconds)


def _oldest_ready(db: Conn, number: int) -> int | None:
    """By the first job of each of the tenant's lanes."""
    oldest: int | None = None
    lane = (0, -1)
    while rows := db.rows(statements.load_verb("summary")["head"], (number, *lane)):
        queue_id, priority, at = rows[0]
        lane = queue_id, priority
        oldest = at if oldest is None else min(oldest, at)
    return oldest
