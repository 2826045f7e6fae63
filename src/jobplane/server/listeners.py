"""Pages that wait for changes: one look a second for a whole process, however many listen."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from typing import Final, Literal, TypeAlias
from uuid import UUID

from jobplane.control.changes import find_marks
from jobplane.core.changes import TOPICS, Marks, Topic
from jobplane.core.errors import JobplaneError
from jobplane.store.base import Store

log = logging.getLogger("jobplane.server")

LOOK_SECONDS: Final = 1.0
_SHARE: Final = 4  # a look that takes long is followed by a pause of four times as long
News: TypeAlias = Topic | Literal["reset"]


class Listener:
    """What has changed since a listener last took it. One that is slow keeps a set of topics, and no queue."""

    def __init__(self, tenant: UUID | None, topics: frozenset[Topic]) -> None:
        self.tenant = tenant
        self.topics = topics
        self.is_new = True  # there were no marks yet to compare with, or contact was lost since
        self._pending: set[News] = set()
        self._woken = asyncio.Event()

    def tell(self, news: Iterable[News]) -> None:
        self._pending.update(news)
        if self._pending:
            self._woken.set()

    def wake(self) -> None:
        """End its wait without news."""
        self._woken.set()

    async def take(self, seconds: float) -> list[News]:
        """Wait for news, and take them. None after this time. `reset` stands for all topics."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        self._woken.clear()
        pending, self._pending = self._pending, set()
        return ["reset"] if "reset" in pending else [topic for topic in TOPICS if topic in pending]


class Listeners:
    """The listeners of a server process, and the task that looks for them. While nobody listens, nothing looks."""

    def __init__(self, store: Store, stopping: asyncio.Event) -> None:
        self._store = store
        self._stopping = stopping
        self._listeners: set[Listener] = set()
        self._marks: dict[UUID | None, Marks] = {}
        self._is_away = False
        self._task: asyncio.Task[None] | None = None

    @contextmanager
    def join(self, tenant: UUID | None, topics: frozenset[Topic]) -> Generator[Listener]:
        """A listener that is told `reset` as soon as later changes cannot be missed, then the topics that change."""
        listener = Listener(tenant, topics)
        if tenant in self._marks:
            self._compare(listener, self._marks)
        self._listeners.add(listener)
        if self._task is None:
            self._task = asyncio.create_task(self._look())
        try:
            yield listener
        finally:
            self._listeners.discard(listener)

    async def close(self) -> None:
        """End the looks."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _look(self) -> None:
        try:
            while self._listeners and not self._stopping.is_set():
                began = time.monotonic()
                await self._look_once()
                took = 0.0 if self._is_away else time.monotonic() - began
                await self._pause(max(LOOK_SECONDS, _SHARE * took))
        finally:
            self._task = None
            self._marks = {}
            for listener in self._listeners:  # the server stops
                listener.wake()

    async def _look_once(self) -> None:
        """Tell each listener the topics that changed since the last look. An unavailable database is tried again."""
        try:
            found = await find_marks(self._store, {listener.tenant for listener in self._listeners})
        except JobplaneError as error:
            self._lose(error)
            return
        except Exception as error:
            log.exception("Reading changes failed.")
            self._lose(error)
            return
        self._is_away = False
        for listener in self._listeners:
            self._compare(listener, found)
        self._marks = found

    def _compare(self, listener: Listener, found: dict[UUID | None, Marks]) -> None:
        now, before = found.get(listener.tenant), self._marks.get(listener.tenant)
        if now is None:
            return
        if listener.is_new or before is None:
            listener.is_new = False
            listener.tell(["reset"])
        else:
            listener.tell(topic for topic in listener.topics if now.differ(topic, before))

    def _lose(self, error: Exception) -> None:
        """Forget the last look, so that listeners get a reset when the database answers again."""
        if not self._is_away:
            log.warning("Changes cannot be read. Trying again until the database answers: %s", error)
        self._is_away = True
        self._marks = {}
        for listener in self._listeners:
            listener.is_new = True

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()
