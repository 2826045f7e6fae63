"""Workers: the processes that run jobs."""

from __future__ import annotations

from jobplane.control.access import Access
from jobplane.core.model import Worker
from jobplane.core.paging import Page
from jobplane.store.verbs.operator import DeleteWorker, ListWorkers


class Workers:
    """The workers of an installation."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def list(self, *, limit: int = 100) -> Page[Worker, str]:
        """Workers, the latest seen first; there is one page."""
        return await self._access.run("listWorkers", ListWorkers(limit))

    async def delete(self, worker_id: str) -> None:
        """Forget a worker that has not been seen for a minute; raises WorkerNotFound and WorkerIsLive."""
        await self._access.run("deleteWorker", DeleteWorker(worker_id))
