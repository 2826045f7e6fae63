"""The manager for programs with an event loop: each method is awaited."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self

from jobplane.api.manager.calls import ManagerCalls
from jobplane.api.manager.places import awaited_place, url_stores
from jobplane.api.manager.request import LONGEST_LEASE, longest_lease
from jobplane.store.base import Driver, Store

if TYPE_CHECKING:
    from jobplane.api.plane import Plane
    from jobplane.api.stores import Stores


class AsyncJobManager(ManagerCalls):
    """Create, lease, finish and cancel jobs on an event loop; tasks may share it.

    It takes a URL, a Jobplane or an asynchronous store. `close` closes the connections that a URL has opened.
    """

    def __init__(
        self,
        store: Store | Plane | Stores | str,
        *,
        sqlite: Driver = "apsw",
        max_lease_seconds: int = LONGEST_LEASE,
    ) -> None:
        longest = longest_lease(max_lease_seconds)
        place = awaited_place(store, sqlite)
        super().__init__(place.store, longest, asyncio.sleep)
        self._owned = place.owned

    @classmethod
    async def connect(
        cls, url: str | None = None, *, sqlite: Driver = "apsw", max_lease_seconds: int = LONGEST_LEASE
    ) -> Self:
        """A manager on the store of a URL, or of the configuration, that is its own to close."""
        stores = url_stores(url, sqlite)
        manager = cls(stores, max_lease_seconds=max_lease_seconds)
        await stores.get_running()
        return manager

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the store that a URL has opened; one that was given is left open."""
        if self._owned is not None:
            await self._owned.aclose()
