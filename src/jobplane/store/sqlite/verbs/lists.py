"""list_jobs, list_all_jobs, count_jobs, count_all_jobs: jobs that a filter finds, the newest first, and how many."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from jobplane.core import bounds
from jobplane.core.errors import Invalid
from jobplane.core.model import Job
from jobplane.core.paging import Count, Page
from jobplane.core.searching import require_countable
from jobplane.store.base import Conn
from jobplane.store.sqlite import statements
from jobplane.store.sqlite.moment import Moment
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.filters import SCAN, Wanted, match, seqs_of, seqs_of_all
from jobplane.store.sqlite.verbs.moves import tenant_no
from jobplane.store.sqlite.verbs.read import describe
from jobplane.store.verbs.jobs import CountJobs, ListJobs
from jobplane.store.verbs.operator import CountAllJobs, ListAllJobs

_PAGE: Final = 200  # of each tenant's jobs at least, where a count looks at many tenants


def list_jobs(db: Conn, _: Moment, verb: ListJobs) -> Page[Job, int]:
    limit = bounds.whole("limit", verb.limit, 1, 1000)
    offset = bounds.whole("offset", verb.offset, 0, 10_000)
    tenant = tenant_no(db, verb.tenant)
    before = _before(db, tenant, verb.cursor)
    wanted = Wanted(verb.where)
    scan = SCAN if wanted.is_narrow else limit + offset
    seqs = seqs_of(db, tenant, wanted, before, scan)
    all_hits, stop = match(db, wanted, seqs, offset + limit) if wanted.is_narrow else (seqs, None)
    hits = all_hits[offset : offset + limit]
    found = describe(db, hits)
    stop = seqs[-1] if stop is None and len(seqs) == scan else stop
    stopped = len(hits) < limit and stop is not None
    last = stop if stopped else found[-1][0] if len(found) == limit else None
    return Page([job for _, job in found], last, scanned_all=not stopped)


def list_all_jobs(db: Conn, _: Moment, verb: ListAllJobs) -> Page[Job, int]:
    limit = bounds.whole("limit", verb.limit, 1, 1000)
    before = _before(db, None, verb.cursor)
    wanted = Wanted(verb.where)
    seqs, stop = seqs_of_all(db, wanted, before, limit, SCAN if wanted.is_narrow else limit)
    hits, early = match(db, wanted, seqs, limit) if wanted.is_narrow else (seqs, None)
    stop = stop if early is None else early
    jobs = describe(db, hits[:limit])
    stopped = len(jobs) < limit and stop is not None
    last = stop if stopped else jobs[-1][0] if len(jobs) == limit else None
    return Page([job for _, job in jobs], last, scanned_all=not stopped)


def count_jobs(db: Conn, _: Moment, verb: CountJobs) -> Count:
    require_countable(verb.where)
    tenant, wanted = tenant_no(db, verb.tenant), Wanted(verb.where)
    if not wanted.is_narrow:
        return _capped(len(seqs_of(db, tenant, wanted, bounds.BIGINT, SCAN + 1)))
    seqs = seqs_of(db, tenant, wanted, bounds.BIGINT, SCAN)
    return Count(len(match(db, wanted, seqs)[0]), len(seqs) == SCAN)


def count_all_jobs(db: Conn, _: Moment, verb: CountAllJobs) -> Count:
    require_countable(verb.where)
    wanted = Wanted(verb.where)
    if wanted.is_narrow:
        seqs, stop = seqs_of_all(db, wanted, bounds.BIGINT, _PAGE, SCAN)
        return Count(len(match(db, wanted, seqs)[0]), stop is not None)
    if wanted.has_all_statuses:
        return _capped(len(seqs_of_all(db, wanted, bounds.BIGINT, _PAGE, SCAN + 1)[0]))
    found = 0
    for (tenant,) in db.rows(statements.load_verb("list_all_jobs")["tenants"], ()):
        found += len(seqs_of(db, tenant, wanted, bounds.BIGINT, SCAN + 1 - found))
        if found > SCAN:
            break
    return _capped(found)


def _capped(found: int) -> Count:
    return Count(min(found, SCAN), found > SCAN)


def _before(db: Conn, tenant: int | None, cursor: int | UUID | None) -> int:
    if isinstance(cursor, UUID):
        ids = batch([str(cursor)])
        found = statements.load_verb("find_jobs")["seqs"], (ids,)
        rows = db.rows(*found) if tenant is None else db.rows(statements.load_shared("describe")["seqs"], (ids, tenant))
        if not rows:
            raise Invalid(f"There is no job {cursor} to continue after. Start from the first page.")
        return rows[0][0]
    return bounds.BIGINT if cursor is None else bounds.whole("cursor", cursor, -bounds.BIGINT, bounds.BIGINT)
