"""Logs: read, followed, searched."""

from __future__ import annotations

from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Header, Query, Request, Response

from jobplane.core.logs import LogLevel
from jobplane.server import shapes, streaming
from jobplane.server.entry import JobId, OfJob, Tenant
from jobplane.server.rendering import answer, found_fields
from jobplane.server.shapes import Time

router: Final = APIRouter(tags=["logs"])
Text = Annotated[str, Query(min_length=1, max_length=500, description="Words that a line must have, all of them.")]


@router.get(
    "/jobs/{job_id}/logs",
    operation_id="readLogs",
    response_model=shapes.LinePage,
    responses={200: {"content": {"text/plain": {}, "application/x-ndjson": {}, "text/event-stream": {}}}},
)
async def read_logs(
    request: Request,
    job_id: JobId,
    plane: OfJob,
    follow: Annotated[bool, Query(description="Go on until the job has ended, as server-sent events.")] = False,
    attempt: Annotated[int | None, Query(ge=1, le=2**31 - 1, description="One attempt only.")] = None,
    limit: Annotated[int, Query(ge=1, le=1000, description="The most lines of a JSON page.")] = 200,
    cursor: Annotated[
        str | None, Query(max_length=30, description="Begin after this place: `attempt_no.line`.")
    ] = None,
    last_event_id: Annotated[str | None, Header(max_length=30)] = None,
    accept: Annotated[str, Header(max_length=300)] = "*/*",
) -> Response:
    """Read the log of a job: JSON, `text/plain`, NDJSON, or followed as server-sent events."""
    wanted = streaming.Wanted(job_id, attempt, limit, last_event_id or cursor)
    return await streaming.shape_of(accept, follow=follow)(request, plane, wanted)


@router.get("/logs", operation_id="searchLogs", response_model=shapes.FindingsOut)
async def search_logs(
    plane: Tenant,
    q: Text,
    definition_key: Annotated[list[str] | None, Query()] = None,
    since: Annotated[Time | None, Query(description="Lines of this time or later.")] = None,
    until: Annotated[Time | None, Query(description="Lines before this time.")] = None,
    level: LogLevel | None = None,
    job_id: UUID | None = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 100,
) -> Response:
    """Search the log lines of a tenant, those of the newest jobs first."""
    found = await plane.logs.search(
        q, definitions=definition_key, since=since, until=until, level=level, job=job_id, limit=limit
    )
    return answer({"items": [found_fields(each) for each in found.lines], "scanned_all": found.scanned_all})
