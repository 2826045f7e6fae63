"""A tenant's verbs on jobs."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from operator import attrgetter, itemgetter
from typing import Any, Final
from uuid import UUID

from jobplane.core.admission import admit, require_instant
from jobplane.core.decoding import Reader, as_object, as_texts, optional
from jobplane.core.errors import Invalid, JobplaneError
from jobplane.core.model import (
    Attempt,
    Document,
    Enqueued,
    Job,
    JobStatus,
    Json,
    Moved,
    NewJob,
    Outcome,
    Summary,
)
from jobplane.core.paging import Page, page_of
from jobplane.core.payload import encode_document, storable
from jobplane.store.postgres.calls.call import Call, Rows, asks, door, one, texts, uuids
from jobplane.store.verbs.jobs import (
    Cancel,
    Edit,
    Enqueue,
    GetJobs,
    GetResult,
    ListAttempts,
    ListJobs,
    Reschedule,
    Retry,
    Summarize,
)

_JOB: Final = asks(Job, "cursor")
_CURSOR: Final = -1
_ENQUEUED: Final = asks(Enqueued)
_MOVED: Final = asks(Moved)
_ATTEMPT: Final = asks(Attempt)
_SUMMARY: Final = asks(Summary)
_job: Final = Reader(Job, status=JobStatus, payload=as_object, tags=as_texts, metadata=as_object)
_attempt: Final = Reader(Attempt, outcome=optional(Outcome), led_to=optional(JobStatus))

# What is wrong with one row, and not with the call.
_ROW_STATES: Final = frozenset({"JP002", "JP003", "JP004", "JP005", "JP006", "JP007", "JP014"})
# In the order of the function's arrays, behind the definitions and the payloads.
_OPTIONS: Final = tuple(name for name in NewJob.__slots__ if name not in ("definition", "payload"))
_NO_OPTIONS: Final = (None,) * len(_OPTIONS)
_options: Final = attrgetter(*_OPTIONS)
_WRITTEN: Final[dict[str, Callable[[Any], str]]] = {
    "on_duplicate": str,
    "tags": lambda tags: json.dumps(list(tags)),
    "metadata": lambda metadata: encode_document(metadata, "metadata"),
}
_keys: Final = attrgetter(
    "id", "queue", "expires_at", "dedupe_key", "on_duplicate", "idempotency_key", "tags", "metadata"
)


def enqueue(verb: Enqueue) -> Call[list[Enqueued]]:
    """One plain job by the short way, at half the cost."""
    if len(verb.jobs) == 1 and _is_plain(verb.jobs[0]):
        with suppress(JobplaneError):
            return _enqueue_one(verb.tenant, verb.jobs[0], admit(verb.jobs[0]))
    return enqueue_many(verb)


def _is_plain(job: object) -> bool:
    return isinstance(job, NewJob) and {*map(type, _keys(job))} == {type(None)}


def _enqueue_one(tenant: UUID, job: NewJob, payload: str) -> Call[list[Enqueued]]:
    parameters = (
        job.definition,
        payload,
        job.priority,
        job.scheduled_for,
        job.delay_seconds,
        job.correlation_id,
        job.source,
        job.source_ref,
        job.created_by,
        job.trace_context,
        job.artifact_ref,
        job.max_attempts,
        job.timeout_seconds,
    )
    call: Call[list[Enqueued]] = door(
        tenant,
        "select job_id, outcome from jobplane.",
        "enqueue(%s::text, %s::text::jsonb, null, %s::int, %s::timestamptz, %s::float8, null, null, null, null,"
        " %s::text, null, null, %s::text, %s::text, %s::text, %s::text, %s::text, %s::int, %s::int)",
        parameters,
        lambda rows: [Enqueued(rows[0][0], rows[0][1], None, None)],
    )
    return Call(call.role, call.statement, call.parameters, call.read, _refused)


def _refused(error: JobplaneError) -> list[Enqueued]:
    if error.facts.get("sqlstate") not in _ROW_STATES:
        raise error
    return [Enqueued(None, "refused", error.code, error.message)]


def enqueue_many(verb: Enqueue) -> Call[list[Enqueued]]:
    """The rows that can be sent go in one call; the others get their answer here. A refused row is never an error."""
    refused: dict[int, Enqueued] = {}
    sent: list[NewJob] = []
    payloads: list[str] = []
    for number, job in enumerate(verb.jobs):
        try:
            payloads.append(admit(job))
            sent.append(job)
        except JobplaneError as error:
            refused[number] = Enqueued(None, "refused", error.code, error.message)
    options, read = [_options(job) for job in sent], partial(_enqueued, refused)
    parameters = texts(job.definition for job in sent), texts(payloads)
    if options.count(_NO_OPTIONS) == len(options):
        return door(verb.tenant, _ENQUEUED, "enqueue_many(%s::text[], %s::text[]::jsonb[])", parameters, read)
    given = zip(_OPTIONS, zip(*options, strict=True), strict=True)
    return door(
        verb.tenant,
        _ENQUEUED,
        "enqueue_many(%s::text[], %s::text[]::jsonb[], %s::uuid[], %s::text[], %s::int[], %s::timestamptz[],"
        " %s::float8[], %s::timestamptz[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[]::jsonb[],"
        " %s::text[]::jsonb[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::int[], %s::int[])",
        (*parameters, *(_column(name, values) for name, values in given)),
        read,
    )


def _enqueued(refused: dict[int, Enqueued], rows: Rows) -> list[Enqueued]:
    answers = [Enqueued(*row) for row in rows]
    for number, answer in sorted(refused.items()):
        answers.insert(number, answer)
    return answers


def _column(name: str, values: tuple[object, ...]) -> list[object] | None:
    """A column of a batch; None where no row has a value, which the function reads as the definition's own."""
    if values.count(None) == len(values):
        return None
    write = _WRITTEN.get(name)
    return list(values) if write is None else [None if value is None else write(value) for value in values]


def _document(document: Document | None) -> str | None:
    return None if document is None else encode_document(document, "metadata")


def cancel(verb: Cancel) -> Call[list[Moved]]:
    return door(verb.tenant, _MOVED, "cancel(%s::uuid[], %s::text)", (uuids(verb.ids), storable(verb.reason)), _moved)


def retry(verb: Retry) -> Call[list[Moved]]:
    return door(verb.tenant, _MOVED, "retry(%s::uuid[], %s::int)", (uuids(verb.ids), verb.max_attempts), _moved)


def reschedule(verb: Reschedule) -> Call[list[Moved]]:
    parameters = (uuids(verb.ids), _instant("at", verb.at), verb.delay_seconds)
    return door(verb.tenant, _MOVED, "reschedule(%s::uuid[], %s::timestamptz, %s::float8)", parameters, _moved)


def edit(verb: Edit) -> Call[Moved]:
    parameters = (verb.job_id, encode_document(verb.changes, "changes"))
    if verb.changes.get("expires_at") is not None:
        _instant("expires_at", _time(verb.changes["expires_at"]))
    return door(verb.tenant, _MOVED, "edit(%s::uuid, %s::jsonb)", parameters, lambda rows: _moved(rows)[0])


def _time(value: Json) -> datetime:
    """The database reads much more than ISO 8601 as a time: `tomorrow`, or one without a zone."""
    try:
        return datetime.fromisoformat(str(value))
    except ValueError:
        raise Invalid("expires_at must be a time as ISO 8601 has it") from None


def _instant(name: str, value: datetime | None) -> datetime | None:
    if value is not None:
        require_instant(name, value)
    return value


def _moved(rows: Rows) -> list[Moved]:
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
    where = verb.where
    parameters = (
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
        verb.limit,
        verb.cursor,
    )
    return door(
        verb.tenant,
        _JOB,
        "list_jobs(%s::text[], %s::text[], %s::text[], %s::text, %s::text, %s::text, %s::text[], %s::jsonb,"
        " %s::timestamptz, %s::timestamptz, %s::int, %s::bigint)",
        parameters,
        partial(_page, verb.limit),
    )


def _page(limit: int, rows: Rows) -> Page[Job, int]:
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
    return door(verb.tenant, "select result from jobplane.", "get_result(%s::uuid)", (verb.job_id,), _result)


def _result(rows: Rows) -> Json:
    found = one(rows)
    return None if isinstance(found, bytes) else found


def summarize(verb: Summarize) -> Call[Summary]:
    return door(verb.tenant, _SUMMARY, "summary()", (), lambda rows: Summary(*rows[0]))
