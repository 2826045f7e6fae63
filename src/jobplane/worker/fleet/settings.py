"""The catalog of a fleet, and the listener that it reports to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from jobplane.core.leases import Lease, Settlement
from jobplane.core.logs import NewLogLine
from jobplane.core.outputs import CommandOutput
from jobplane.worker.frames import Known


@dataclass(frozen=True, slots=True)
class Catalog:
    """The definitions of the executors by key. `url` is that of the modules' own Jobplane."""

    definitions: Mapping[str, Known]
    version: str
    url: str | None


class FleetListener(Protocol):
    """What a fleet reports to the supervisor. Called on the loop, and must not raise."""

    def on_ended(self, settlements: list[Settlement]) -> None:
        """Attempts are over."""
        ...

    def on_logged(self, lines: list[NewLogLine], sizes: Mapping[int, int]) -> None:
        """Log lines, and their bytes by seq: call `Fleet.credit` with these once the lines are stored."""
        ...

    def on_progressed(self, seq: int, share: float | None, message: str | None) -> None: ...

    def on_output(self, lease: Lease, output: CommandOutput) -> None:
        """What is kept of a command beside its outcome; told before `on_ended`."""
        ...

    def on_freed(self) -> None:
        """There may be room."""
        ...

    def log_event(self, name: str, **facts: object) -> None:
        """Log an event of the fleet."""
        ...
