"""Workers: the processes that run jobs."""

from __future__ import annotations

from jobplane.core.model import Worker
from jobplane.core.paging import Page
from jobplane.store.base import Store
from jobplane.store.verbs.operator import ListWorkers


class Workers:
    """The workers of an installation."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def list(self, *, limit: int = 100) -> Page[Worker, str]:
        """Workers, the latest seen first; there is one page."""
        return await self._store.run(ListWorkers(limit))
