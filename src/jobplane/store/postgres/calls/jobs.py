"""A tenant's verbs on jobs."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import partial
from operator import itemgetter
from typing import Final, LiteralString, cast
from uuid import UUID

from jobplane.core.admission import require_instant
from jobplane.core.decoding import Reader, as_object, as_texts, loads, names_of, optional
from jobplane.core.edits import judge_edit
from jobplane.core.model import (
    Activity,
    Attempt,
    Document,
    Job,
    JobFilter,
    JobStatus,
    Json,
    Moved,
    Outcome,
    Summary,
    WorkerCounts,
)
from jobplane.core.paging import Count, Page, page_of
from jobplane.core.payload import encode_document, storable
from jobplane.core.searching import judge_filter, require_countable
from jobplane.store.postgres.calls.call import Call, Rows, asks, door, one, uuids
from jobplane.store.verbs.jobs import (
    Cancel,
    CountJobs,
    Edit,
    FindActivity,
    GetJobs,
    GetResult,
    ListAttempts,
    ListJobs,
    Reschedule,
    RetryJobs,
    Summarize,
)
from jobplane.store.verbs.operator import CountAllJobs, FindAllActivity, FindJobs, ListAllJobs, SummarizeAll

_JOB: Final = asks(Job, "cursor")
_CURSOR: Final = -1
_FILTERS: Final = (
    "(%s::text[], %s::text[], %s::text[], %s::text, %s::text, %s::text, %s::text[], %s::jsonb, %s::timestamptz,"
    " %s::timestamptz, p_source_ref => %s::text, p_triggered_by => %s::text, p_trigger_id => %s::uuid"
)
_PAGE: Final = _FILTERS + ", p_limit => %s::int, p_before => %s::bigint, p_before_id => %s::uuid, p_text => %s::text"
_COUNT: Final = asks(Count)
_MOVED: Final = asks(Moved)
_ATTEMPT: Final = asks(Attempt)
_SUMMARY: Final = asks(Summary)
_INSIDE: Final = [f"(job).{name}" for name in names_of(Job)]
_ACTIVITY: Final = cast("LiteralString", f"select failed, is_capped, {', '.join(_INSIDE)} from jobplane.")  # noqa: S608 our names
_ALL_ACTIVITY: Final = cast(
    "LiteralString",
    f"select failed, is_capped, live, stale, slots, busy, {', '.join(_INSIDE)} from jobplane.",  # noqa: S608 our names
)
_job: Final = Reader(
    Job, status=JobStatus, payload=as_object, tags=as_texts, metadata=as_object, triggered_by=optional(as_object)
)
_attempt: Final = Reader(Attempt, outcome=optional(Outcome), led_to=optional(JobStatus))


def _document(document: Document | None) -> str | None:
    return None if document is None else encode_document(document, "metadata")


def cancel(verb: Cancel) -> Call[list[Moved]]:
    return door(
        verb.tenant, _MOVED, "cancel(%s::uuid[], %s::text)", (uuids(verb.ids), storable(verb.reason)), _read_moved
    )


def retry(verb: RetryJobs) -> Call[list[Moved]]:
    return door(verb.tenant, _MOVED, "retry(%s::uuid[], %s::int)", (uuids(verb.ids), verb.max_attempts), _read_moved)


def reschedule(verb: Reschedule) -> Call[list[Moved]]:
    parameters = (uuids(verb.ids), _instant("at", verb.at), verb.delay_seconds)
    return door(verb.tenant, _MOVED, "reschedule(%s::uuid[], %s::timestamptz, %s::float8)", parameters, _read_moved)


def edit(verb: Edit) -> Call[Moved]:
    changes = encode_document(verb.changes, "changes")
    judge_edit(as_object(loads(changes)))
    parameters = (verb.job_id, changes)
    return door(verb.tenant, _MOVED, "edit(%s::uuid, %s::jsonb)", parameters, lambda rows: _read_moved(rows)[0])


def _instant(name: str, value: datetime | None) -> datetime | None:
    if value is not None:
        require_instant(name, value)
    return value


def _read_moved(rows: Rows) -> list[Moved]:
    return [Moved(job_id, outcome, status and JobStatus(status)) for job_id, outcome, status in rows]


def get_jobs(verb: GetJobs) -> Call[list[Job]]:
    return door(
        verb.tenant,
        _JOB,
        "get_jobs(%s::uuid[])",
        (uuids(verb.ids),),
        lambda rows: [_job(row[:_CURSOR]) for row in rows],
    )


def list_jobs(verb: ListJobs) -> Call[Page[Job, int]]:
    parameters = (*_page(verb), verb.offset)
    function = "list_jobs" + _PAGE + ", p_offset => %s::int)"
    return door(verb.tenant, _JOB, function, parameters, partial(_read_page, verb.limit))


def list_all_jobs(verb: ListAllJobs) -> Call[Page[Job, int]]:
    return Call("admin", _JOB + "list_all_jobs" + _PAGE + ")", _page(verb), partial(_read_page, verb.limit))


def count_jobs(verb: CountJobs) -> Call[Count]:
    return door(verb.tenant, _COUNT, "count_jobs" + _FILTERS + ")", _countable(verb.where), _read_count)


def count_all_jobs(verb: CountAllJobs) -> Call[Count]:
    return Call("admin", _COUNT + "count_all_jobs" + _FILTERS + ")", _countable(verb.where), _read_count)


def _countable(where: JobFilter) -> tuple[object, ...]:
    require_countable(where)
    return _filters(where)


def _read_count(rows: Rows) -> Count:
    return Count(*rows[0])


def find_jobs(verb: FindJobs) -> Call[list[Job]]:
    return Call(
        "admin",
        _JOB + "find_jobs(%s::uuid[])",
        (uuids(verb.ids),),
        lambda rows: [_job(row[:_CURSOR]) for row in rows],
    )


def _filters(where: JobFilter) -> tuple[object, ...]:
    judge_filter(where)
    return (
        where.statuses and [str(status) for status in where.statuses],
        where.definitions and list(where.definitions),
        where.queues and list(where.queues),
        where.correlation_id,
        where.source,
        where.worker_id,
        where.tags and list(where.tags),
        _document(where.metadata),
        _instant("created_after", where.created_after),
        _instant("created_before", where.created_before),
        where.source_ref,
        where.triggered_by,
        where.trigger_id,
    )


def _page(verb: ListJobs | ListAllJobs) -> tuple[object, ...]:
    by_id = isinstance(verb.cursor, UUID)
    place = (None, verb.cursor) if by_id else (verb.cursor, None)
    return (*_filters(verb.where), verb.limit, *place, verb.where.text)


def _read_page(limit: int, rows: Rows) -> Page[Job, int]:
    """A row without an id says where the look stopped."""
    jobs = [_job(row[:_CURSOR]) for row in rows if row[0] is not None]
    stopped = len(rows) > len(jobs)
    more = stopped or len(jobs) == limit
    return Page(jobs, rows[-1][_CURSOR] if more else None, scanned_all=not stopped)


def list_attempts(verb: ListAttempts) -> Call[Page[Attempt, int]]:
    return door(
        verb.tenant,
        _ATTEMPT,
        "list_attempts(%s::uuid, %s::int, %s::int)",
        (verb.job_id, verb.limit, verb.before),
        lambda rows: page_of(rows, verb.limit, _attempt, itemgetter(0)),
    )


def get_result(verb: GetResult) -> Call[Json]:
    """None also where it cannot be decoded; the job itself says so."""
    return door(verb.tenant, "select result from jobplane.", "get_result(%s::uuid)", (verb.job_id,), _read_result)


def _read_result(rows: Rows) -> Json:
    found = one(rows)
    return None if isinstance(found, bytes) else found


def summarize(verb: Summarize) -> Call[Summary]:
    return door(verb.tenant, _SUMMARY, "summary()", (), lambda rows: Summary(*rows[0]))


def summarize_all(_: SummarizeAll) -> Call[Summary]:
    return Call("admin", _SUMMARY + "summarize_all()", (), lambda rows: Summary(*rows[0]))


def find_activity(verb: FindActivity) -> Call[Activity]:
    return door(verb.tenant, _ACTIVITY, "activity()", (), _read_activity)


def find_all_activity(_: FindAllActivity) -> Call[Activity]:
    return Call("admin", _ALL_ACTIVITY + "all_activity()", (), _read_all_activity)


def _read_activity(rows: Rows) -> Activity:
    """The first row has counts and no job."""
    (failed, is_capped, *_), *others = rows
    return Activity.of([_job(row[-len(names_of(Job)) :]) for row in others], failed, is_capped)


def _read_all_activity(rows: Rows) -> Activity:
    return replace(_read_activity(rows), workers=WorkerCounts(*rows[0][2:6]))
