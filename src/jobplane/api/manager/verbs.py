"""The verbs of a store that the manager needs, and how it waits between two of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from jobplane.core.model import (
    Claimed,
    Definition,
    Document,
    Enqueued,
    Job,
    JobFilter,
    Lease,
    Moved,
    NewJob,
    Page,
    Renewed,
    Settled,
    Settlement,
)


class Verbs(Protocol):
    """The part of `jobplane.store.base.Store` that is used here."""

    async def enqueue(self, tenant: UUID, jobs: Sequence[NewJob]) -> list[Enqueued]: ...
    async def cancel(self, tenant: UUID, ids: Sequence[UUID], *, reason: str | None = None) -> list[Moved]: ...
    async def get_jobs(self, tenant: UUID, ids: Sequence[UUID]) -> list[Job]: ...
    async def list_jobs(
        self, tenant: UUID, where: JobFilter | None = None, *, limit: int = 50, cursor: int | None = None
    ) -> Page: ...
    async def claim(self, queue: str, worker_id: str, *, limit: int = 1, lease_seconds: int = 30) -> Claimed: ...
    async def renew(self, leases: Sequence[Lease], *, lease_seconds: int = 30) -> list[Renewed]: ...
    async def settle(self, outcomes: Sequence[Settlement]) -> list[Settled]: ...
    async def release(self, leases: Sequence[Lease], *, reason: str = "shutdown") -> list[Settled]: ...
    async def promote(self, *, limit: int = 1000) -> int: ...
    async def reap(self, *, limit: int = 500) -> int: ...
    async def expire(self, *, limit: int = 1000) -> int: ...
    async def sweep(self, *, limit: int = 1000) -> int: ...
    async def tick(self, *, full: bool = True) -> int: ...
    async def tidy(self) -> int: ...
    async def put_definitions(self, definitions: Sequence[Document]) -> list[Definition]: ...
    async def definitions(
        self, keys: Sequence[str] | None = None, *, limit: int = 100, after: str = ""
    ) -> list[Definition]: ...
    async def put_queues(self, names: Sequence[str]) -> list[str]: ...


class Pause(Protocol):
    """How to wait for some seconds."""

    async def __call__(self, seconds: float) -> None: ...


async def wait(seconds: float) -> None:
    await asyncio.sleep(seconds)
