"""Jobs: enqueue, list, look at one, move it."""

from __future__ import annotations

import re
from functools import partial
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Header, Path, Query, Response
from pydantic import BaseModel, ConfigDict, Field, model_validator

from jobplane.control.all_jobs import AllJobs
from jobplane.control.jobs import Jobs
from jobplane.core import bounds
from jobplane.core.actors import ActorType
from jobplane.core.bounds import show
from jobplane.core.model import JobFilter, JobStatus
from jobplane.core.redaction import redact
from jobplane.server import enqueuing, shapes
from jobplane.server.cursors import id_of, last_job, number_of
from jobplane.server.entry import Cursor, JobId, Limit, Listed, OfJob, Tenant
from jobplane.server.pages import Listing
from jobplane.server.rendering import (
    answer,
    attempt_fields,
    explanation_fields,
    job_fields,
    listed_fields,
    output_fields,
    selection_fields,
)
from jobplane.server.repeats import Repeat
from jobplane.server.shapes import (
    BulkBody,
    CancelJobsBody,
    EditBody,
    EnqueueBody,
    ReasonBody,
    RescheduleBody,
    RetryBody,
    RetryJobsBody,
    RunAgainBody,
    Time,
)
from jobplane.server.unchanged import UNCHANGED, Seen, answer_unless

router: Final = APIRouter(prefix="/jobs", tags=["jobs"])
_METADATA: Final = re.compile(r"metadata\[([^\]]{1,100})\]")
_TEXT: Final = (
    "A text in payload, last error, result, tags or correlation id, in any case; 6 or more hex digits also at either "
    "end of the id. Masked values are not searched."
)
NO_REASON: Final = ReasonBody()
NO_BUDGET: Final = RetryBody()
AS_IT_WAS: Final = RunAgainBody()
AttemptNo = Annotated[int, Path(ge=1, le=bounds.INT, description="The number of an attempt.")]
TraceParent = Annotated[str | None, Header(max_length=200, description="The caller's trace, kept with the job.")]


class JobsQuery(BaseModel):
    """Which jobs to list. `metadata[name]=value` filters by metadata."""

    model_config = ConfigDict(extra="allow")

    q: Annotated[str | None, Field(min_length=1, max_length=200, description=_TEXT)] = None
    status: list[JobStatus] | None = None
    definition_key: list[str] | None = None
    queue: list[str] | None = None
    source: str | None = None
    source_ref: str | None = None
    correlation_id: str | None = None
    worker_id: str | None = None
    tag: list[str] | None = None
    triggered_by: Annotated[ActorType | None, Field(description="The type of who enqueued them.")] = None
    trigger_id: Annotated[UUID | None, Field(description="The trigger that made them.")] = None
    created_after: Time | None = None
    created_before: Time | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    cursor: Annotated[str | None, Field(max_length=64)] = None
    offset: Annotated[int, Field(ge=0, le=10_000)] = 0
    include: Annotated[
        list[Literal["total"]],
        Field(description="`total`: how many jobs there are, up to 10,000, as `total` and `total_is_capped`."),
    ] = []

    @model_validator(mode="after")
    def _known(self) -> JobsQuery:
        for name in self.model_extra or {}:
            if not _METADATA.fullmatch(name):
                raise ValueError(f"There is no filter {show(name, 60)}. Check the spelling.")
        return self

    @property
    def where(self) -> JobFilter:
        found: dict[str, Any] = {}
        for name, value in (self.model_extra or {}).items():
            matched = _METADATA.fullmatch(name)
            found[matched[1] if matched else name] = value
        return JobFilter(
            statuses=self.status,
            definitions=self.definition_key,
            queues=self.queue,
            correlation_id=self.correlation_id,
            source=self.source,
            source_ref=self.source_ref,
            worker_id=self.worker_id,
            tags=self.tag,
            metadata=found or None,
            created_after=self.created_after,
            created_before=self.created_before,
            text=self.q,
            triggered_by=self.triggered_by,
            trigger_id=self.trigger_id,
        )

    async def included(self, jobs: Jobs | AllJobs) -> dict[str, Any]:
        """Fields of the page that were asked for."""
        if "total" not in self.include:
            return {}
        count = await jobs.count(self.where)
        return {"total": count.total, "total_is_capped": count.is_capped}


@router.post(
    "",
    operation_id="enqueueJob",
    status_code=201,
    response_model=shapes.EnqueuedOut,
    responses={200: {"model": shapes.AlreadyOut, "description": "The job that is there already, or a dry run."}},
)
async def enqueue_job(
    body: EnqueueBody,
    plane: Tenant,
    repeat: Repeat,
    traceparent: TraceParent = None,
    dry_run: Annotated[bool, Query(description="Judge the job, and write nothing.")] = False,
) -> Response:
    """Enqueue a job: 201, or 200 with the job that has its key already."""
    enqueue = enqueuing.try_out if dry_run else enqueuing.enqueue
    return await enqueue(plane, repeat, body, traceparent)


@router.post("/bulk", operation_id="enqueueJobs", response_model=shapes.BulkOut)
async def enqueue_jobs(body: BulkBody, plane: Tenant, repeat: Repeat, traceparent: TraceParent = None) -> Response:
    """Enqueue up to 1,000 jobs, each with a result of its own."""
    return await enqueuing.enqueue_all(plane, repeat, body, traceparent)


@router.get("", operation_id="listJobs", response_model=shapes.JobPage, responses=UNCHANGED)
async def list_jobs(query: Annotated[JobsQuery, Query()], jobs: Listed, pages: Listing, seen: Seen = None) -> Response:
    """List jobs, the newest first. A super admin who names no tenant sees those of all tenants, with their slugs."""
    included = await query.included(jobs)
    page = await jobs.list(query.where, limit=query.limit, cursor=id_of(query.cursor), offset=query.offset)
    show = partial(listed_fields, await jobs.slugs(page.items))
    return pages.answer_unless(seen, page, show, await last_job(jobs, page), **included)


@router.get("/summary", operation_id="summarizeJobs", response_model=shapes.SummaryOut, responses=UNCHANGED)
async def summarize_jobs(jobs: Listed, seen: Seen = None) -> Response:
    """Count jobs by status, each up to 10,000."""
    return answer_unless(seen, await jobs.summary())


@router.post("/actions/cancel", operation_id="cancelJobs", response_model=shapes.SelectionOut)
async def cancel_jobs(body: CancelJobsBody, plane: Tenant) -> Response:
    """Cancel up to 200 jobs, each with a result of its own."""
    return answer(selection_fields(await plane.jobs.cancel_many(body.ids, reason=body.reason)))


@router.post("/actions/retry", operation_id="retryJobs", response_model=shapes.SelectionOut)
async def retry_jobs(body: RetryJobsBody, plane: Tenant) -> Response:
    """Give up to 200 jobs that have ended a fresh budget, each with a result of its own."""
    return answer(selection_fields(await plane.jobs.retry_many(body.ids, max_attempts=body.max_attempts)))


@router.get("/{job_id}", operation_id="getJob", response_model=shapes.JobOut, responses=UNCHANGED)
async def get_job(job_id: JobId, plane: OfJob, seen: Seen = None) -> Response:
    """Get a job."""
    return answer_unless(seen, job_fields(await plane.jobs.get(job_id)))


@router.patch("/{job_id}", operation_id="editJob", response_model=shapes.JobOut)
async def edit_job(job_id: JobId, body: EditBody, plane: Tenant) -> Response:
    """Change a waiting job."""
    await plane.jobs.edit(job_id, body.model_dump(mode="json", exclude_unset=True))
    return answer(job_fields(await plane.jobs.get(job_id)))


@router.post(
    "/{job_id}/cancel",
    operation_id="cancelJob",
    response_model=shapes.JobOut,
    responses={202: {"model": shapes.JobOut, "description": "Its worker has been asked to stop it."}},
)
async def cancel_job(job_id: JobId, plane: Tenant, body: ReasonBody = NO_REASON) -> Response:
    """Cancel a job: 200 when it has ended, 202 when its worker has been asked to stop it."""
    moved = await plane.jobs.cancel(job_id, reason=body.reason)
    return answer(job_fields(await plane.jobs.get(job_id)), 202 if moved.outcome == "requested" else 200)


@router.post("/{job_id}/retry", operation_id="retryJob", response_model=shapes.JobOut)
async def retry_job(job_id: JobId, plane: Tenant, body: RetryBody = NO_BUDGET) -> Response:
    """Give a job that has failed, died or been canceled a fresh budget."""
    await plane.jobs.retry(job_id, max_attempts=body.max_attempts)
    return answer(job_fields(await plane.jobs.get(job_id)))


@router.post("/{job_id}/reschedule", operation_id="rescheduleJob", response_model=shapes.JobOut)
async def reschedule_job(job_id: JobId, body: RescheduleBody, plane: Tenant) -> Response:
    """Set another time for a waiting job."""
    await plane.jobs.reschedule(job_id, at=body.scheduled_for, delay_seconds=body.delay_seconds)
    return answer(job_fields(await plane.jobs.get(job_id)))


@router.post(
    "/{job_id}/run-again",
    operation_id="runJobAgain",
    status_code=201,
    response_model=shapes.EnqueuedOut,
    responses={200: {"model": shapes.EnqueuedOut, "description": "The job that an earlier request has made."}},
)
async def run_job_again(job_id: JobId, plane: Tenant, repeat: Repeat, body: RunAgainBody = AS_IT_WAS) -> Response:
    """Make a new job from one that has ended. Another payload takes the role tenant_admin."""
    return await enqueuing.run_again(plane, repeat, job_id, body)


@router.get("/{job_id}/attempts", operation_id="listAttempts", response_model=shapes.AttemptPage, responses=UNCHANGED)
async def list_attempts(
    job_id: JobId, plane: OfJob, pages: Listing, limit: Limit = 50, cursor: Cursor = None, seen: Seen = None
) -> Response:
    """List the attempts of a job, the newest first, the running one included."""
    page = await plane.jobs.attempts(job_id, limit=limit, before=number_of(cursor))
    last = None if page.next_cursor is None else str(page.next_cursor)
    return pages.answer_unless(seen, page, attempt_fields, last)


@router.get("/{job_id}/attempts/{attempt_no}/output", operation_id="getAttemptOutput", response_model=shapes.OutputOut)
async def get_attempt_output(job_id: JobId, attempt_no: AttemptNo, plane: OfJob) -> Response:
    """Get what the command of an attempt used, and the last 64 KiB that it wrote to stdout and to stderr."""
    return answer(output_fields(await plane.jobs.output(job_id, attempt_no)))


@router.get("/{job_id}/explain", operation_id="explainJob", response_model=shapes.ExplanationOut)
async def explain_job(job_id: JobId, plane: OfJob) -> Response:
    """Explain why a job is where it is: every gate of a waiting job, with its evidence."""
    return answer(explanation_fields(await plane.jobs.explain(job_id)))


@router.get("/{job_id}/result", operation_id="getResult", response_model=shapes.ResultOut)
async def get_result(job_id: JobId, plane: OfJob) -> Response:
    """Get what the handler of a job returned."""
    return answer({"result": redact(await plane.jobs.result(job_id))})
