"""Queues: the lanes that workers serve."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Annotated

from pydantic import StringConstraints

from jobplane.control.access import Access
from jobplane.control.documents import Model, Text, judge
from jobplane.control.paging import walk
from jobplane.core import bounds
from jobplane.core.bounds import show
from jobplane.core.errors import JobplaneError, QueueNotFound
from jobplane.core.model import Document, Queue
from jobplane.core.paging import Page
from jobplane.store.verbs.engine import PutQueues
from jobplane.store.verbs.operator import DeleteQueues, GetQueues, ListQueues, PauseQueues, ResumeQueues


class QueueModel(Model):
    """The fields of a queue's document."""

    name: Annotated[str, StringConstraints(pattern=f"^{bounds.QUEUE.pattern}$")]
    description: Annotated[Text, StringConstraints(max_length=bounds.DESCRIPTION)] = ""


class Queues:
    """The queues of an installation."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def put(self, queues: Sequence[str | Document]) -> list[str]:
        """Make or change queues, each given as a document or by its name alone; the names that were new."""
        self._access.caller.require("putQueues")
        return await self._access.run("putQueues", PutQueues(judge(QueueModel, queues)))

    async def delete(self, names: Sequence[str]) -> list[str]:
        """Delete queues that nothing uses; the names of those that were there. Raises QueueInUse."""
        return await self._access.run("deleteQueue", DeleteQueues(names))

    async def remove(self, name: str) -> None:
        """Delete one queue that nothing uses; raises QueueInUse and QueueNotFound."""
        await self._require(name, await self.delete([name]))

    async def get(self, name: str) -> Queue:
        """One queue; raises QueueNotFound."""
        for found in await self._access.run("getQueue", GetQueues([name])):
            return found
        raise await self._explain_missing(name)

    async def list(self, *, limit: int = 100, after: str = "") -> Page[Queue, str]:
        """A page of queues by name, with what waits and runs in each."""
        return await self._access.run("listQueues", ListQueues(limit, after))

    def walk(self) -> AsyncIterator[Queue]:
        """All of them, a page at a time."""
        return walk(lambda cursor: self.list(after=cursor or ""))

    async def pause(self, name: str, *, reason: str | None = None) -> None:
        """Hand out no job of a queue from now on; raises QueueNotFound."""
        await self._require(name, await self._access.run("pauseQueue", PauseQueues([name], reason)))

    async def resume(self, name: str) -> None:
        """Hand out jobs again; raises QueueNotFound."""
        await self._require(name, await self._access.run("resumeQueue", ResumeQueues([name])))

    async def _require(self, name: str, found: Sequence[str]) -> None:
        if not found:
            raise await self._explain_missing(name)

    async def _explain_missing(self, name: str) -> JobplaneError:
        message = f"There is no queue {show(name, 100)}. Check the spelling, or create it first."
        return await self._access.explain(QueueNotFound(message, queue=name), name)
