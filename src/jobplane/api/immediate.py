"""A blocking store as coroutines that never wait, so that the same steps run with and without an event loop."""

from __future__ import annotations

import time
from collections.abc import Coroutine, Sequence
from typing import TypeVar, cast
from uuid import UUID

from jobplane.core.model import (
    Claimed,
    Definition,
    Document,
    DueChores,
    Enqueued,
    HeldSnapshot,
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
from jobplane.store.base import BlockingStore

Answer = TypeVar("Answer")


async def block(seconds: float) -> None:
    time.sleep(seconds)  # noqa: ASYNC251 it runs without an event loop


def finish(steps: Coroutine[None, None, Answer]) -> Answer:
    """Run a coroutine that never waits, without an event loop: its first step is its last."""
    try:
        steps.send(None)
    except StopIteration as done:
        return cast("Answer", done.value)
    steps.close()
    raise RuntimeError("a coroutine on a blocking store has waited for an event loop")


class Immediate:
    """The part of a blocking store that such steps use; each call is done when it returns."""

    def __init__(self, store: BlockingStore) -> None:
        self._store = store

    async def enqueue(self, tenant: UUID, jobs: Sequence[NewJob]) -> list[Enqueued]:
        return self._store.enqueue(tenant, jobs)

    async def cancel(self, tenant: UUID, ids: Sequence[UUID], *, reason: str | None = None) -> list[Moved]:
        return self._store.cancel(tenant, ids, reason=reason)

    async def get_jobs(self, tenant: UUID, ids: Sequence[UUID]) -> list[Job]:
        return self._store.get_jobs(tenant, ids)

    async def list_jobs(
        self, tenant: UUID, where: JobFilter | None = None, *, limit: int = 50, cursor: int | None = None
    ) -> Page:
        return self._store.list_jobs(tenant, where, limit=limit, cursor=cursor)

    async def claim(self, queue: str, worker_id: str, *, limit: int = 1, lease_seconds: int = 30) -> Claimed:
        return self._store.claim(queue, worker_id, limit=limit, lease_seconds=lease_seconds)

    async def renew(self, leases: Sequence[Lease], *, lease_seconds: int = 30) -> list[Renewed]:
        return self._store.renew(leases, lease_seconds=lease_seconds)

    async def settle(self, outcomes: Sequence[Settlement]) -> list[Settled]:
        return self._store.settle(outcomes)

    async def release(self, leases: Sequence[Lease], *, reason: str = "shutdown") -> list[Settled]:
        return self._store.release(leases, reason=reason)

    async def due_chores(self, chores: Sequence[str], *, by: str | None = None) -> DueChores:
        return self._store.due_chores(chores, by=by)

    async def promote(self, *, limit: int = 1000) -> int:
        return self._store.promote(limit=limit)

    async def reap(self, *, limit: int = 500) -> int:
        return self._store.reap(limit=limit)

    async def expire(self, *, limit: int = 1000) -> int:
        return self._store.expire(limit=limit)

    async def sweep(self, *, limit: int = 1000) -> int:
        return self._store.sweep(limit=limit)

    async def tick(self, *, full: bool = True) -> int:
        return self._store.tick(full=full)

    async def wake_idle(self) -> int:
        return self._store.wake_idle()

    async def tidy(self) -> int:
        return self._store.tidy()

    async def held_snapshots(self) -> list[HeldSnapshot]:
        return self._store.held_snapshots()

    async def put_definitions(self, definitions: Sequence[Document]) -> list[Definition]:
        return self._store.put_definitions(definitions)

    async def definitions(
        self, keys: Sequence[str] | None = None, *, limit: int = 100, after: str = ""
    ) -> list[Definition]:
        return self._store.definitions(keys, limit=limit, after=after)

    async def put_queues(self, names: Sequence[str]) -> list[str]:
        return self._store.put_queues(names)
