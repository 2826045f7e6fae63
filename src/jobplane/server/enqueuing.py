"""Bodies become jobs, and answers of an enqueue become responses."""

from __future__ import annotations

from uuid import UUID

from fastapi import Response

from jobplane.control.plane import TenantPlane
from jobplane.core.model import Enqueued, Job, NewJob
from jobplane.server.rendering import answer, command_line, job_fields
from jobplane.server.repeats import Ids, Repeats
from jobplane.server.shapes import BulkBody, EnqueueBody, RunAgainBody


def _new_job(body: EnqueueBody, trace: str | None) -> NewJob:
    given = {name: getattr(body, name) for name in body.model_fields_set if name != "definition_key"}
    return NewJob(definition=body.definition_key, trace_context=trace, **given)


async def enqueue(plane: TenantPlane, repeat: Repeats, body: EnqueueBody, trace: str | None) -> Response:
    """201 with a new job, 200 with the one that is there already."""

    async def act(ids: Ids) -> Response:
        job = _new_job(body, trace)
        job.id = ids[0] if ids else None
        return _made(*await plane.jobs.submit_one(job))

    return await repeat.once(plane, "enqueueJob", body, act)


async def try_out(plane: TenantPlane, _: Repeats, body: EnqueueBody, trace: str | None) -> Response:
    """Whether the job would be taken."""
    job = _new_job(body, trace)
    found = await plane.jobs.try_out(job)
    shown = {"queue": job.queue or found.queue, "max_attempts": job.max_attempts or found.max_attempts}
    argv = plane.commands.arguments(found, job.payload)
    line = {} if argv is None else {"command_line": command_line(argv)}
    return answer({"valid": True, "definition_key": found.key, **shown, **line})


async def enqueue_all(plane: TenantPlane, repeat: Repeats, body: BulkBody, trace: str | None) -> Response:
    """One result for each job."""

    async def act(ids: Ids) -> Response:
        jobs = [_new_job(each, trace) for each in body.jobs]
        for job, job_id in zip(jobs, ids or (), strict=False):
            job.id = job_id
        return _results(await plane.jobs.submit(jobs))

    return await repeat.once(plane, "enqueueJobs", body, act, count=len(body.jobs))


async def run_again(plane: TenantPlane, repeat: Repeats, job_id: UUID, body: RunAgainBody) -> Response:
    """201 with the new job."""

    async def act(ids: Ids) -> Response:
        new_id = ids[0] if ids else None
        return _made(*await plane.jobs.submit_again(job_id, payload=body.payload, new_id=new_id))

    return await repeat.once(plane, "runJobAgain", body, act, about=str(job_id))


def _made(found: Enqueued, job: Job) -> Response:
    return answer({**job_fields(job), "created": found.created}, 201 if found.created else 200)


def _results(answers: list[Enqueued]) -> Response:
    rows = [
        {"index": index, "outcome": each.outcome, "id": each.job_id, "code": each.error_code, "detail": each.error}
        for index, each in enumerate(answers)
    ]
    counts = {"created": sum(each.created for each in answers), "refused": sum(each.refused for each in answers)}
    return answer({"results": rows, **counts})
