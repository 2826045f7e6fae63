"""Logs that somebody follows: one reader for each job, however many listen."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Final
from uuid import UUID

from jobplane.control.plane import TenantPlane
from jobplane.core.errors import JobplaneError
from jobplane.core.logs import LogLine
from jobplane.store.base import Store

Place = tuple[int, int]
_KEPT: Final = 2000
_PAGE: Final = 1000


class Feed:
    """The newest lines of one job, read once for all who listen."""

    def __init__(self, plane: TenantPlane, job_id: UUID, after: Place) -> None:
        self._plane = plane
        self._job_id = job_id
        self._floor = after  # what came before is not in the buffer
        self._lines: deque[LogLine] = deque(maxlen=_KEPT)
        self._changed = asyncio.Event()
        self.listeners = 0
        self.is_over = False
        self.error: JobplaneError | None = None
        self.task = asyncio.create_task(self._read())

    async def _read(self) -> None:
        try:
            async for line in self._plane.logs.read(self._job_id, follow=True, after=self._floor, sleep=asyncio.sleep):
                if len(self._lines) == _KEPT:
                    self._floor = self._lines[0].attempt_no, self._lines[0].line
                self._lines.append(line)
                self._tell()
        except JobplaneError as error:
            self.error = error
        self.is_over = True
        self._tell()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def after(self, place: Place) -> list[LogLine]:
        """Lines after a place: from the buffer, or from the store where the buffer does not reach back so far."""
        if place >= self._floor:
            return [line for line in self._lines if (line.attempt_no, line.line) > place]
        page = await self._plane.logs.page(self._job_id, after=place, limit=_PAGE)
        return page.items

    async def wait(self, seconds: float) -> None:
        """Until there is more, or so long."""
        changed = self._changed
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await changed.wait()


class Feeds:
    """The feeds of a server process. The last listener ends a feed."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._feeds: dict[tuple[UUID, UUID], Feed] = {}

    async def follow(
        self, tenant: UUID, job_id: UUID, after: Place, tick_seconds: float
    ) -> AsyncIterator[list[LogLine]]:
        """Lines as they come, until the job has ended. An empty list is a sign of life, once in a tick."""
        feed = self._join(tenant, job_id, after)
        try:
            while True:
                is_over = feed.is_over
                if lines := await feed.after(after):
                    after = lines[-1].attempt_no, lines[-1].line
                    yield lines
                elif is_over:
                    if feed.error is not None:
                        raise feed.error
                    return
                else:
                    await feed.wait(tick_seconds)
                    yield []
        finally:
            self._leave(tenant, job_id, feed)

    def _join(self, tenant: UUID, job_id: UUID, after: Place) -> Feed:
        feed = self._feeds.get((tenant, job_id))
        if feed is None or feed.is_over:
            feed = self._feeds[tenant, job_id] = Feed(TenantPlane(self._store, tenant), job_id, after)
        feed.listeners += 1
        return feed

    def _leave(self, tenant: UUID, job_id: UUID, feed: Feed) -> None:
        feed.listeners -= 1
        if feed.listeners == 0:
            feed.task.cancel()
            if self._feeds.get((tenant, job_id)) is feed:
                del self._feeds[tenant, job_id]

    async def close(self) -> None:
        """End all feeds."""
        tasks = [feed.task for feed in self._feeds.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
