"""Changes as they happen, as server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable

from fastapi import Request, Response

from jobplane.control.changes import Changes
from jobplane.control.waiting import PASSING
from jobplane.core.changes import Topic
from jobplane.core.errors import JobplaneError
from jobplane.server import streaming
from jobplane.server.entry import identify, state_of
from jobplane.server.streaming import ALIVE, answer_events, event


def tell_changes(request: Request, changes: Changes, asked: Iterable[Topic] | None) -> Response:
    """A stream of the topics that change, of those asked for. Raises what `Changes.choose` refuses."""
    return answer_events(_listen(request, changes, changes.choose(asked)))


async def _listen(request: Request, changes: Changes, topics: frozenset[Topic]) -> AsyncIterator[bytes]:
    """Events without data: `reset`, then a topic each time it has changed."""
    state, clock = state_of(request), asyncio.get_running_loop()
    alive_at = clock.time() + streaming.TICK_SECONDS
    with state.listeners.join(changes.tenant, topics) as listener:
        while not state.stopping.is_set():
            for name in await listener.take(alive_at - clock.time()):
                yield event(name, {})
            if clock.time() < alive_at:
                continue
            if (error := await _refusal(request)) is not None:
                yield event("error", {"code": error.code, "detail": error.message})
                return
            yield ALIVE
            alive_at = clock.time() + streaming.TICK_SECONDS


async def _refusal(request: Request) -> JobplaneError | None:
    """Why the caller may listen no longer. While the database is away nobody is sent away, and nothing is told."""
    try:
        async with asyncio.timeout(streaming.TICK_SECONDS):
            await identify(request)
    except (*PASSING, TimeoutError):
        return None
    except JobplaneError as error:
        return error
    return None
