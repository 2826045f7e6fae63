"""Queues: what waits and runs in each, pauses."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Path, Response

from jobplane.server import shapes
from jobplane.server.entry import Cursor, Limit, Operator
from jobplane.server.pages import Listing
from jobplane.server.rendering import answer, queue_fields
from jobplane.server.shapes import QueueBody, ReasonBody
from jobplane.server.unchanged import UNCHANGED, Seen

router: Final = APIRouter(prefix="/queues", tags=["queues"])
Name = Annotated[str, Path(max_length=100, description="The name of a queue.")]
NO_REASON: Final = ReasonBody()


@router.get("", operation_id="listQueues", response_model=shapes.QueuePage, responses=UNCHANGED)
async def list_queues(
    plane: Operator, pages: Listing, limit: Limit = 100, cursor: Cursor = None, seen: Seen = None
) -> Response:
    """List queues by name, with what waits and runs in each, counted up to 10,000."""
    page = await plane.queues.list(limit=limit, after=cursor or "")
    return pages.answer_unless(seen, page, queue_fields, page.next_cursor)


@router.get("/{name}", operation_id="getQueue", response_model=shapes.QueueOut)
async def get_queue(name: Name, plane: Operator) -> Response:
    """Get a queue."""
    return answer(queue_fields(await plane.queues.get(name)))


@router.put("/{name}", operation_id="putQueues", response_model=shapes.QueueOut)
async def put_queue(name: Name, body: QueueBody, plane: Operator) -> Response:
    """Make a queue, or change its description."""
    await plane.queues.put([{"name": name, **body.model_dump(exclude_unset=True)}])
    return answer(queue_fields(await plane.queues.get(name)))


@router.get("/{name}/backlog", operation_id="getBacklog", response_model=shapes.BacklogOut)
async def get_backlog(name: Name, plane: Operator) -> Response:
    """Get one number to scale workers by: how many jobs of a queue may be claimed now."""
    return answer({"ready": (await plane.queues.get(name)).ready})


@router.post("/{name}/pause", operation_id="pauseQueue", response_model=shapes.QueueOut)
async def pause_queue(name: Name, plane: Operator, body: ReasonBody = NO_REASON) -> Response:
    """Hand out no job of a queue from now on. What runs goes on."""
    await plane.queues.pause(name, reason=body.reason)
    return answer(queue_fields(await plane.queues.get(name)))


@router.post("/{name}/resume", operation_id="resumeQueue", response_model=shapes.QueueOut)
async def resume_queue(name: Name, plane: Operator) -> Response:
    """Hand out jobs of a queue again."""
    await plane.queues.resume(name)
    return answer(queue_fields(await plane.queues.get(name)))


@router.delete("/{name}", operation_id="deleteQueue", status_code=204)
async def delete_queue(name: Name, plane: Operator) -> Response:
    """Delete a queue that nothing uses."""
    await plane.queues.remove(name)
    return Response(status_code=204)
