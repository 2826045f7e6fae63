"""The manager for programs without an event loop: each method blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from jobplane.api.manager.calls import ManagerCalls
from jobplane.api.manager.request import LONGEST_LEASE, longest_lease, store_of
from jobplane.api.twins import blocking
from jobplane.control.immediate import Immediate, block
from jobplane.store.base import BlockingStore, Driver


class JobManager:
    """Create, lease, finish and cancel jobs on a blocking store; threads may share it."""

    def __init__(self, store: BlockingStore, *, max_lease_seconds: int = LONGEST_LEASE) -> None:
        calls = Immediate(store_of(store, awaits=False))
        self.blocking_calls = ManagerCalls(calls, longest_lease(max_lease_seconds), block)
        self._close: Callable[[], None] | None = None

    @classmethod
    def connect(
        cls, url: str | None = None, *, sqlite: Driver = "apsw", max_lease_seconds: int = LONGEST_LEASE
    ) -> Self:
        """A manager on the store of a URL, or of the configuration, that is its own to close."""
        from jobplane import opening

        longest = longest_lease(max_lease_seconds)
        store = opening.connect_blocking(url, sqlite=sqlite)
        manager = cls(store, max_lease_seconds=longest)
        manager._close = store.close
        return manager

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store that `connect` opened; one that was given is left open."""
        if self._close is not None:
            self._close()

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
