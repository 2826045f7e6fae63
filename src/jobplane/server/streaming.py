"""The log of a job in the shape that a request asks for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from fastapi import Request, Response
from fastapi.responses import StreamingResponse

from jobplane.control.plane import TenantPlane
from jobplane.core.errors import JobplaneError
from jobplane.core.logs import LogLine
from jobplane.server.cursors import place_of, place_text
from jobplane.server.entry import authenticate, state_of
from jobplane.server.pages import Pages
from jobplane.server.rendering import encode, line_fields, line_text

TICK_SECONDS: Final = 4.0  # also how soon a key that was revoked ends its streams
ALIVE: Final = b": alive\n\n"
_EVENTS: Final = "text/event-stream"
_LINES: Final = "application/x-ndjson"
_TEXT: Final = "text/plain"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which lines of which job. `after` is a cursor of the wire."""

    job_id: UUID
    attempt: int | None
    limit: int
    after: str | None


Shape = Callable[[Request, TenantPlane, Wanted], Awaitable[Response]]


def shape_of(accept: str, *, follow: bool) -> Shape:
    """Who follows gets events; else the first type of ours that the request accepts, and JSON by default."""
    if follow or _EVENTS in accept:
        return _events
    return _text if _TEXT in accept else _ndjson if _LINES in accept else _page


async def _page(request: Request, plane: TenantPlane, wanted: Wanted) -> Response:
    after = max(place_of(wanted.after), (wanted.attempt or 0, 0))
    page = await plane.logs.page(wanted.job_id, after=after, limit=wanted.limit)
    shown = [line for line in page.items if wanted.attempt in (None, line.attempt_no)]
    is_last = page.next_cursor is None or len(shown) < len(page.items)
    cursor = None if is_last else place_text(page.next_cursor or (0, 0))
    return Pages(request).answer(replace(page, items=shown), line_fields, cursor)


async def _text(_: Request, plane: TenantPlane, wanted: Wanted) -> Response:
    return await _whole(plane, wanted, lambda line: line_text(line).encode(), f"{_TEXT}; charset=utf-8")


async def _ndjson(_: Request, plane: TenantPlane, wanted: Wanted) -> Response:
    return await _whole(plane, wanted, lambda line: encode(line_fields(line)) + b"\n", _LINES)


async def _whole(plane: TenantPlane, wanted: Wanted, show: Callable[[LogLine], bytes], media_type: str) -> Response:
    """All lines, a page at a time. The first page is read before the response begins, so that errors can be told."""
    await plane.jobs.get(wanted.job_id)
    lines = plane.logs.read(wanted.job_id, attempt=wanted.attempt, after=place_of(wanted.after), sleep=asyncio.sleep)

    first = await anext(lines, None)

    async def parts() -> AsyncIterator[bytes]:
        if first is not None:
            yield show(first)
        async for line in lines:
            yield show(line)

    return StreamingResponse(parts(), media_type=media_type)


async def _events(request: Request, plane: TenantPlane, wanted: Wanted) -> Response:
    await plane.jobs.get(wanted.job_id)
    after = max(place_of(wanted.after), (wanted.attempt or 0, 0))
    await plane.logs.page(wanted.job_id, after=after, limit=1)  # what it refuses can be told now, and not later
    return answer_events(_follow(request, plane, wanted, after))


async def _follow(request: Request, plane: TenantPlane, wanted: Wanted, after: tuple[int, int]) -> AsyncIterator[bytes]:
    """Events `line`, then `end` with the job's status. Its id is where a reader goes on after a reconnect."""
    state = state_of(request)
    yield b": a log\n\n"
    try:
        async for lines in state.feeds.follow(plane.tenant, wanted.job_id, after, TICK_SECONDS):
            for line in lines:
                if wanted.attempt in (None, line.attempt_no):
                    yield event("line", line_fields(line), place_text((line.attempt_no, line.line)))
            if not lines:
                await authenticate(request)
                yield ALIVE
            if state.stopping.is_set():
                return  # without `end`: the reader goes on with the next server
        job = await plane.jobs.get(wanted.job_id)
        yield event("end", {"status": job.status})
    except JobplaneError as error:
        yield event("error", {"code": error.code, "detail": error.message})


def answer_events(events: AsyncIterator[bytes]) -> Response:
    """A response that no proxy holds back."""
    return StreamingResponse(events, media_type=_EVENTS, headers={"X-Accel-Buffering": "no"})


def event(name: str, fields: object, event_id: str | None = None) -> bytes:
    """A server-sent event."""
    head = b"" if event_id is None else b"id: " + event_id.encode() + b"\n"
    return head + b"event: " + name.encode() + b"\ndata: " + encode(fields) + b"\n\n"
