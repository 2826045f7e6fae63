"""The manager for programs with an event loop: each method is awaited."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Self

from jobplane.api.manager.calls import ManagerCalls
from jobplane.api.manager.request import LONGEST_LEASE, longest_lease, store_of
from jobplane.store.base import Driver, Store


class AsyncJobManager(ManagerCalls):
    """Create, lease, finish and cancel jobs on a store with an event loop; tasks may share it."""

    def __init__(self, store: Store, *, max_lease_seconds: int = LONGEST_LEASE) -> None:
        super().__init__(store_of(store, awaits=True), longest_lease(max_lease_seconds), asyncio.sleep)
        self._close: Callable[[], Awaitable[None]] | None = None

    @classmethod
    async def connect(
        cls, url: str | None = None, *, sqlite: Driver = "apsw", max_lease_seconds: int = LONGEST_LEASE
    ) -> Self:
        """A manager on the store of a URL, or of the configuration, that is its own to close."""
        from jobplane import opening

        longest = longest_lease(max_lease_seconds)
        store = await opening.connect(url, sqlite=sqlite)
        manager = cls(store, max_lease_seconds=longest)
        manager._close = store.close
        return manager

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the store that `connect` opened; one that was given is left open."""
        if self._close is not None:
            await self._close()
