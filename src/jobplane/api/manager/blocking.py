"""The manager for programs without an event loop: each method blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from jobplane.api.manager.calls import ManagerCalls
from jobplane.api.manager.places import blocking_place, url_stores
from jobplane.api.manager.request import LONGEST_LEASE, longest_lease
from jobplane.api.twins import blocking
from jobplane.control.immediate import block
from jobplane.store.base import BlockingStore, Driver

if TYPE_CHECKING:
    from jobplane.api.plane import Plane
    from jobplane.api.stores import Stores


class JobManager:
    """Create, lease, finish and cancel jobs; threads may share it.

    It takes a URL, a Jobplane or a blocking store. `close` closes the connections that a URL has opened.
    """

    def __init__(
        self,
        store: BlockingStore | Plane | Stores | str,
        *,
        sqlite: Driver = "apsw",
        max_lease_seconds: int = LONGEST_LEASE,
    ) -> None:
        longest = longest_lease(max_lease_seconds)
        place = blocking_place(store, sqlite)
        self.blocking_calls = ManagerCalls(place.store, longest, block)
        self._owned = place.owned

    @classmethod
    def connect(
        cls, url: str | None = None, *, sqlite: Driver = "apsw", max_lease_seconds: int = LONGEST_LEASE
    ) -> Self:
        """A manager on the store of a URL, or of the configuration, that is its own to close."""
        return cls(url_stores(url, sqlite), max_lease_seconds=max_lease_seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store that a URL has opened; one that was given is left open."""
        if self._owned is not None:
            self._owned.close()

    create_job = blocking(ManagerCalls.create_job)
    schedule_job = blocking(ManagerCalls.schedule_job)
    get_job = blocking(ManagerCalls.get_job)
    get_job_by_uuid = blocking(ManagerCalls.get_job_by_uuid)
    list_jobs = blocking(ManagerCalls.list_jobs)
    acquire_next_job = blocking(ManagerCalls.acquire_next_job)
    renew_job_lease = blocking(ManagerCalls.renew_job_lease)
    complete_job = blocking(ManagerCalls.complete_job)
    fail_job = blocking(ManagerCalls.fail_job)
    cancel_job = blocking(ManagerCalls.cancel_job)
