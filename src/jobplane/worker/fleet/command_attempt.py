"""One attempt of a command, from its claim to the report of its keeper."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from jobplane.core.claimed import ClaimedJob
from jobplane.core.command import Command
from jobplane.core.leases import Lease
from jobplane.worker.commands.launching import RunningCommand
from jobplane.worker.commands.protocol import Report
from jobplane.worker.fleet import reports
from jobplane.worker.fleet.settings import FleetListener
from jobplane.worker.frames import LogRow, StopReason
from jobplane.worker.watchdog import boot_time

OVERTIME_SECONDS: Final = 10.0  # beyond timeout and grace: a keeper that has not reported by then is killed

Ended = Callable[["CommandAttempt", Report | None, str], None]


@dataclass(eq=False, slots=True)
class CommandAttempt:
    """Listens to its keeper. `since` is when it was claimed, then when it was started."""

    lease: Lease
    row: bytes
    listener: FleetListener
    ended: Ended
    since: float = field(default_factory=boot_time)
    stopped: StopReason | None = None
    command: Command | None = None
    running: RunningCommand | None = None
    task: asyncio.Task[None] | None = None
    grace_seconds: float = 0.0
    pid: int | None = None
    is_followed: bool = False
    _timers: list[asyncio.TimerHandle] = field(default_factory=list[asyncio.TimerHandle])

    @property
    def job(self) -> ClaimedJob:
        return ClaimedJob(self.row)

    def watch(self, running: RunningCommand, command: Command, grace_seconds: float) -> None:
        """Its keeper runs now."""
        self.running, self.command, self.grace_seconds, self.since = running, command, grace_seconds, boot_time()
        if (seconds := self.job.timeout_seconds) is not None:
            self._kill_after(seconds + grace_seconds + OVERTIME_SECONDS)
        if self.is_followed:
            running.follow()

    def stop(self, why: StopReason) -> bool:
        """Ask its processes to stop. Returns whether that is new. After a first stop only `gone` is new."""
        if self.stopped is not None and (why != "gone" or self.stopped == "gone"):
            return False
        self.stopped = why
        if self.running is not None:
            self.running.stop(why)
            self._kill_after(self.grace_seconds + OVERTIME_SECONDS)
        return True

    def follow(self) -> None:
        """Somebody reads its log now."""
        self.is_followed = True
        if self.running is not None:
            self.running.follow()

    def kill(self) -> None:
        if self.running is not None:
            self.running.kill()

    def _kill_after(self, seconds: float) -> None:
        self._timers.append(asyncio.get_running_loop().call_later(seconds, self.kill))

    # What the launcher tells of it.

    def on_started(self, pid: int) -> None:
        self.pid = pid

    def on_lines(self, rows: list[LogRow]) -> None:
        if self.stopped != "gone":
            self.listener.on_logged(*reports.read_log_lines({self.lease.seq: self.lease}, rows))

    def on_progress(self, share: float | None, message: str | None) -> None:
        if self.stopped != "gone":
            self.listener.on_progressed(self.lease.seq, share, message)

    def on_ended(self, report: Report | None, how: str) -> None:
        for timer in self._timers:
            timer.cancel()
        self.ended(self, report, how)
