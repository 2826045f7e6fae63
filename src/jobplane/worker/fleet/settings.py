"""What a fleet is told, and what it tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from jobplane.core.leases import Settlement
from jobplane.core.logs import NewLogLine
from jobplane.worker.wire import Known, LogFormat


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetSettings:
    """`slots` and `threads` are those of one process; `prefetch` is the most that all hold beyond their slots.

    `adopts`: as PID 1 (or subreaper) the orphans of handlers are reaped; an application that starts children of its own
    inside the same process turns it off.
    """

    imports: Sequence[str]
    worker_id: str
    processes: int = 1
    slots: int = 16
    threads: int = 16
    prefetch: int = 1000
    alone_limit: int = 4
    lease_seconds: int = 30
    grace_seconds: float = 25.0
    startup_seconds: float = 120.0
    linger_ms: float = 2.0
    sys_path: Sequence[str] = ()
    url: str | None = None
    artifacts_dir: str | None = None
    log_level: str = "info"
    log_format: LogFormat = "auto"
    adopts: bool = True


@dataclass(frozen=True, slots=True)
class Catalog:
    """What the executors can run, by definition key; `url` is that of the modules' own Jobplane."""

    definitions: Mapping[str, Known]
    version: str
    url: str | None


class Hears(Protocol):
    """The supervisor's ear; called on the loop, and must not raise."""

    def ended(self, settlements: list[Settlement]) -> None:
        """Attempts are over."""
        ...

    def logged(self, lines: list[NewLogLine], sizes: Mapping[int, int]) -> None:
        """Lines of logs; `sizes` are the bytes by seq that `credit` gives back once they are stored."""
        ...

    def progressed(self, seq: int, share: float | None, message: str | None) -> None: ...

    def freed(self) -> None:
        """There may be room."""
        ...

    def event(self, name: str, **facts: object) -> None:
        """For the worker's own log."""
        ...
