"""The objects that all executors of a fleet share, and the protocol of an executor's owner."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from jobplane.core.leases import Settlement
from jobplane.worker.claim_records import ClaimRecords
from jobplane.worker.fleet.guard import Guard
from jobplane.worker.fleet.settings import Catalog, FleetListener
from jobplane.worker.settings import WorkerSettings

if TYPE_CHECKING:
    from jobplane.worker.fleet.remote import Remote


@dataclass(frozen=True, slots=True)
class FleetContext:
    """`stirred` is set whenever a lease is no longer held or a process has ended."""

    settings: WorkerSettings
    listener: FleetListener
    guard: Guard
    claim_records: ClaimRecords
    find_slugs: Callable[[], Mapping[str, str]] = dict[str, str]  # those that are known, by tenant id
    stirred: asyncio.Event = field(default_factory=asyncio.Event)

    def on_freed(self) -> None:
        self.stirred.set()
        self.listener.on_freed()


class Keeper(Protocol):
    """The owner of an executor. It is told of changes."""

    def ready(self, remote: Remote, catalog: Catalog) -> None: ...

    def on_changed(self, remote: Remote) -> None:
        """Some of its jobs have ended, or should have."""
        ...

    def on_died(self, remote: Remote, lost: list[Settlement], how: str) -> None:
        """The process has ended. `lost` are the settlements of the jobs that it held."""
        ...
