"""A tenant's verbs on jobs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Final
from uuid import UUID

from jobplane.core.admission import admit
from jobplane.core.errors import JobplaneError
from jobplane.core.model import (
    Attempt,
    Document,
    Enqueued,
    Job,
    JobFilter,
    JobStatus,
    Json,
    Moved,
    NewJob,
    Outcome,
    Page,
    Summary,
)
from jobplane.core.payload import storable
from jobplane.store.postgres.calls.call import Call, Rows, array, column, door

_CURSOR: Final = -1


def enqueue(tenant: UUID, jobs: Sequence[NewJob]) -> Call[list[Enqueued]]:
    """The rows that can be sent go in one call; the others get their answer here."""
    refused: dict[int, Enqueued] = {}
    sent: list[NewJob] = []
    payloads: list[str] = []
    for number, job in enumerate(jobs):
        try:
            payloads.append(admit(job))
            sent.append(job)
        except JobplaneError as error:
            refused[number] = Enqueued(None, "refused", error.code, error.message)
    parameters = (
        [job.definition for job in sent],
        payloads,
        column([job.id for job in sent]),
        column([job.queue for job in sent]),
        column([job.priority for job in sent]),
        column([job.scheduled_for for job in sent]),
        column([job.delay_seconds for job in sent]),
        column([job.expires_at for job in sent]),
        column([job.dedupe_key for job in sent]),
        column([job.on_duplicate and job.on_duplicate.value for job in sent]),
        column([job.idempotency_key for job in sent]),
        column([job.correlation_id for job in sent]),
        column([None if job.tags is None else json.dumps(list(job.tags)) for job in sent]),
        column([None if job.metadata is None else json.dumps(job.metadata) for job in sent]),
        column([job.source for job in sent]),
        column([job.source_ref for job in sent]),
        column([job.created_by for job in sent]),
        column([job.trace_context for job in sent]),
        column([job.artifact_ref for job in sent]),
        column([job.max_attempts for job in sent]),
        column([job.timeout_seconds for job in sent]),
    )
    return door(
        tenant,
        "enqueue_many(%s::text[], %s::text[]::jsonb[], %s::uuid[], %s::text[], %s::int[], %s::timestamptz[],"
        " %s::float8[], %s::timestamptz[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[]::jsonb[],"
        " %s::text[]::jsonb[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::int[], %s::int[])",
        parameters,
        partial(_enqueued, refused),
    )


def _enqueued(refused: dict[int, Enqueued], rows: Rows) -> list[Enqueued]:
    answers = [Enqueued(*row[1:]) for row in rows]
    for number, answer in sorted(refused.items()):
        answers.insert(number, answer)
    return answers


def cancel(tenant: UUID, ids: Sequence[UUID], reason: str | None) -> Call[list[Moved]]:
    return door(tenant, "cancel(%s::uuid[], %s)", (array(ids), storable(reason)), _moved)


def retry(tenant: UUID, ids: Sequence[UUID], max_attempts: int | None) -> Call[list[Moved]]:
    return door(tenant, "retry(%s::uuid[], %s)", (array(ids), max_attempts), _moved)


def reschedule(
    tenant: UUID, ids: Sequence[UUID], at: datetime | None, delay_seconds: float | None
) -> Call[list[Moved]]:
    return door(tenant, "reschedule(%s::uuid[], %s, %s)", (array(ids), at, delay_seconds), _moved)


def edit(tenant: UUID, job_id: UUID, changes: Document) -> Call[Moved]:
    return door(tenant, "edit(%s, %s::jsonb)", (job_id, json.dumps(changes)), lambda rows: _moved(rows)[0])


def _moved(rows: Rows) -> list[Moved]:
    return [Moved(job_id, outcome, status and JobStatus(status)) for job_id, outcome, status in rows]


def get(tenant: UUID, ids: Sequence[UUID]) -> Call[list[Job]]:
    return door(tenant, "get_jobs(%s::uuid[])", (array(ids),), lambda rows: [_job(row) for row in rows])


def list_(tenant: UUID, where: JobFilter, limit: int, cursor: int | None) -> Call[Page]:
    parameters = (
        where.statuses and [status.value for status in where.statuses],
        where.definitions and list(where.definitions),
        where.queues and list(where.queues),
        where.correlation_id,
        where.source,
        where.worker_id,
        where.tags and list(where.tags),
        None if where.metadata is None else json.dumps(where.metadata),
        where.created_after,
        where.created_before,
        limit,
        cursor,
    )
    return door(
        tenant, "list_jobs(%s, %s, %s, %s, %s, %s, %s, %s::jsonb, %s, %s, %s, %s)", parameters, partial(_page, limit)
    )


def _page(limit: int, rows: Rows) -> Page:
    """A row without an id says where the look stopped."""
    jobs = [_job(row) for row in rows if row[0] is not None]
    stopped = len(rows) > len(jobs)
    more = stopped or len(jobs) == limit
    return Page(jobs, rows[-1][_CURSOR] if more else None, scanned_all=not stopped)


def _job(row: tuple[object, ...]) -> Job:
    job = Job(*row[:_CURSOR])  # pyright: ignore[reportArgumentType] the columns of type jobplane.job, in order
    object.__setattr__(job, "status", JobStatus(job.status))
    return job


def attempts(tenant: UUID, job_id: UUID, limit: int, before: int | None) -> Call[list[Attempt]]:
    return door(
        tenant, "list_attempts(%s, %s, %s)", (job_id, limit, before), lambda rows: [_attempt(row) for row in rows]
    )


def _attempt(row: tuple[object, ...]) -> Attempt:
    attempt = Attempt(*row)  # pyright: ignore[reportArgumentType] the columns of list_attempts, in order
    object.__setattr__(attempt, "outcome", attempt.outcome and Outcome(attempt.outcome))
    object.__setattr__(attempt, "led_to", attempt.led_to and JobStatus(attempt.led_to))
    return attempt


def result(tenant: UUID, job_id: UUID) -> Call[Json]:
    return door(tenant, "get_result(%s)", (job_id,), lambda rows: rows[0][1])


def summary(tenant: UUID) -> Call[Summary]:
    return door(tenant, "summary()", (), lambda rows: Summary(*rows[0]))
