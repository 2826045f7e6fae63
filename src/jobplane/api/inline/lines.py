"""The ways from a handler to its lease, for a handler that blocks and for one that awaits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Generator
from dataclasses import dataclass
from typing import Final, Protocol

from jobplane.core.model import Lease
from jobplane.store.base import BlockingStore, Store
from jobplane.store.verbs.engine import Renew

LEASE_SECONDS: Final = 30


class Line(Protocol):
    """The way from a handler to its lease."""

    def renew(self, progress: float | None, message: str | None = None) -> Awaitable[str]:
        """Say how far it has come, and in words; the answer is that of a renewal: renewed, cancel, busy or gone."""
        ...


class Done(Awaitable[str]):
    """An answer that is there already; who does not await it loses nothing."""

    def __init__(self, answer: str) -> None:
        self.answer = answer

    def __await__(self) -> Generator[None, None, str]:
        yield from ()
        return self.answer


@dataclass(frozen=True, slots=True)
class BlockingLine:
    """A `def` handler and a blocking store."""

    store: BlockingStore
    lease: Lease

    def renew(self, progress: float | None, message: str | None = None) -> Awaitable[str]:
        return Done(renewed(self.store, self.lease, progress, message))


@dataclass(frozen=True, slots=True)
class ThreadLine:
    """An `async def` handler and a blocking store."""

    store: BlockingStore
    lease: Lease

    def renew(self, progress: float | None, message: str | None = None) -> Awaitable[str]:
        return asyncio.to_thread(renewed, self.store, self.lease, progress, message)


@dataclass(frozen=True, slots=True)
class AsyncLine:
    """An `async def` handler and the store of its event loop."""

    store: Store
    lease: Lease

    def renew(self, progress: float | None, message: str | None = None) -> Awaitable[str]:
        return renewed_async(self.store, self.lease, progress, message)


@dataclass(frozen=True, slots=True)
class LoopLine:
    """A `def` handler in a thread beside the event loop that has the store."""

    store: Store
    lease: Lease
    loop: asyncio.AbstractEventLoop

    def renew(self, progress: float | None, message: str | None = None) -> Awaitable[str]:
        asked = asyncio.run_coroutine_threadsafe(renewed_async(self.store, self.lease, progress, message), self.loop)
        return Done(asked.result())


def renewed(store: BlockingStore, lease: Lease, progress: float | None = None, message: str | None = None) -> str:
    answers = store.run(Renew([lease], lease_seconds=LEASE_SECONDS, progress=[progress], messages=[message]))
    return answers[0].answer


async def renewed_async(store: Store, lease: Lease, progress: float | None = None, message: str | None = None) -> str:
    answers = await store.run(Renew([lease], lease_seconds=LEASE_SECONDS, progress=[progress], messages=[message]))
    return answers[0].answer
