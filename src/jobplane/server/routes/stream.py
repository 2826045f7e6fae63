"""Changes as they happen."""

from __future__ import annotations

from typing import Annotated, Any, Final, cast

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse

from jobplane.core.changes import TOPICS, Topic
from jobplane.server.entry import Told
from jobplane.server.live import tell_changes

router: Final = APIRouter(tags=["overview"])
_TOPIC: Final = f"({'|'.join(TOPICS)})"
_EVENTS: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "Events without data, until the client goes, its key or session ends, or the server stops.",
        "content": {
            "text/event-stream": {
                "schema": {"type": "string"},
                "example": "event: reset\ndata: {}\n\nevent: jobs\ndata: {}\n\n: alive\n\n",
            }
        },
    }
}
Names = Annotated[
    str | None,
    Query(
        max_length=200,
        pattern=f"^{_TOPIC}(,{_TOPIC})*$",
        description=f"What to be told of, by default all that the caller may read: `{'`, `'.join(TOPICS)}`.",
        examples=["jobs,problems"],
    ),
]


@router.get("/stream", operation_id="streamChanges", response_class=StreamingResponse, responses=_EVENTS)
async def stream_changes(request: Request, changes: Told, topics: Names = None) -> Response:
    """Be told that something has changed, as server-sent events.

    The first event is `reset`: read everything once. Then each topic is an event when it has changed, at most once a
    second, and a comment comes every four seconds. `reset` comes again after contact with the database was lost.
    Topics that the caller may not read are left out. A tenant has no queues and no workers.
    """
    return tell_changes(request, changes, cast("list[Topic]", topics.split(",")) if topics else None)
