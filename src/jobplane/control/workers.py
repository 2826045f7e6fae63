"""Workers: the processes that run jobs."""

from __future__ import annotations

from jobplane.core.model import Worker
from jobplane.store.base import Store
from jobplane.store.verbs.operator import ListWorkers


class Workers:
    """The workers of an installation."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def list(self, *, limit: int = 100) -> list[Worker]:
        """Workers, the latest seen first."""
        return await self._store.run(ListWorkers(limit))
