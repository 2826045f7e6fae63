"""Queues: the lanes that workers serve."""

from __future__ import annotations

from collections.abc import Sequence

from jobplane.core.errors import QueueNotFound
from jobplane.core.model import Queue
from jobplane.store.base import Store
from jobplane.store.verbs.engine import PutQueues
from jobplane.store.verbs.operator import ListQueues, PauseQueues, ResumeQueues


class Queues:
    """The queues of an installation."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def put(self, names: Sequence[str]) -> list[str]:
        """Make queues; the names that were new."""
        return await self._store.run(PutQueues(names))

    async def list(self) -> list[Queue]:
        """Queues by name, with what waits and runs in each."""
        return await self._store.run(ListQueues())

    async def pause(self, name: str) -> None:
        """Hand out no job of a queue from now on; raises QueueNotFound."""
        _require(name, await self._store.run(PauseQueues([name])))

    async def resume(self, name: str) -> None:
        """Hand out jobs again; raises QueueNotFound."""
        _require(name, await self._store.run(ResumeQueues([name])))


def _require(name: str, found: Sequence[str]) -> None:
    if not found:
        raise QueueNotFound(f"There is no queue {name!r:.120}.", queue=name)
