"""One hand for both managers, so that a test that is written once runs on each of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypedDict, Unpack, cast

from jobplane.api.manager import AsyncJobManager, JobManager, JobRecord
from jobplane.core.model import Document, Json
from tests.client import Store


class Awaited:
    """A blocking manager whose methods are awaited."""

    def __init__(self, manager: JobManager) -> None:
        self._manager = manager

    def __getattr__(self, name: str) -> Callable[..., Awaitable[object]]:
        method = getattr(self._manager, name)

        async def call(*args: object, **kwargs: object) -> object:
            return method(*args, **kwargs)

        return call


def awaited(manager: JobManager) -> AsyncJobManager:
    return cast("AsyncJobManager", Awaited(manager))


class Options(TypedDict, total=False):
    """What a test says of a job beside its type."""

    domain: str
    queue: str
    job_type: str
    payload: Document
    owner_user_id: str | int | None
    project_id: int | None
    priority: int
    max_retries: int
    idempotency_key: str | None
    dedupe_key: str | None


class Defaults(TypedDict):
    domain: str
    queue: str
    job_type: str
    payload: Document
    owner_user_id: str | int | None


class Asked(Defaults, total=False):
    project_id: int | None
    priority: int
    max_retries: int
    idempotency_key: str | None
    dedupe_key: str | None


EXPORT: Defaults = {
    "domain": "chatbooks",
    "queue": "default",
    "job_type": "export",
    "payload": {"name": "Weekly Backup"},
    "owner_user_id": None,
}


def exporting(**payload: Json) -> Defaults:
    """An export with this payload."""
    return {**EXPORT, "payload": payload}


@dataclass
class Desk:
    """A manager, the store under it, and how to get a second manager that remembers nothing."""

    jm: AsyncJobManager
    store: Store
    another: Callable[[], AsyncJobManager]

    async def create(self, **options: Unpack[Options]) -> JobRecord:
        """An export of chatbooks, unless the test says otherwise."""
        asked: Asked = {**EXPORT, **options}
        return await self.jm.create_job(**asked)

    async def acquire(self, worker_id: str = "w1", lease_seconds: int = 60, queue: str = "default") -> JobRecord:
        job = await self.jm.acquire_next_job("chatbooks", queue, lease_seconds, worker_id)
        assert job is not None
        return job

    async def job(self, job: JobRecord) -> JobRecord:
        """The job as it is now."""
        found = await self.jm.get_job(job["id"])
        assert found is not None
        return found

    async def upkeep(self) -> None:
        """All of it at once, whenever the manager would next have done it."""
        await self.store.reap()
        await self.store.expire()
        await self.store.promote()
        await self.store.sweep()
