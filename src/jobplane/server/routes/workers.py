"""Workers: the processes that run jobs."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Path, Response

from jobplane.server import shapes
from jobplane.server.entry import Limit, Operator
from jobplane.server.rendering import page_fields, worker_fields
from jobplane.server.unchanged import UNCHANGED, Seen, answer_unless

router: Final = APIRouter(prefix="/workers", tags=["workers"])
Name = Annotated[str, Path(max_length=200, description="The id of a worker.")]


@router.get("", operation_id="listWorkers", response_model=shapes.WorkerPage, responses=UNCHANGED)
async def list_workers(plane: Operator, limit: Limit = 100, seen: Seen = None) -> Response:
    """List workers, the latest seen first. There is one page."""
    page = await plane.workers.list(limit=limit)
    return answer_unless(seen, page_fields(page, worker_fields, None))


@router.delete("/{worker_id:path}", operation_id="deleteWorker", status_code=204)
async def delete_worker(worker_id: Name, plane: Operator) -> Response:
    """Forget a worker that is gone: one that was not seen for a minute."""
    await plane.workers.delete(worker_id)
    return Response(status_code=204)
