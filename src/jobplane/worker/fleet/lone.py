"""Jobs that run alone: suspects of a crash, and jobs whose definition has `isolation="process"`."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from jobplane.core.claimed import ClaimedJob
from jobplane.core.leases import Ending, Lease, Settlement
from jobplane.core.model import Outcome
from jobplane.worker.fleet.backoff import RestartBackoff
from jobplane.worker.fleet.fleet_context import FleetContext
from jobplane.worker.fleet.pool import ExecutorPool
from jobplane.worker.fleet.remote import Remote
from jobplane.worker.fleet.settings import Catalog
from jobplane.worker.fleet.verdict import PAUSE_SECONDS, Cause, settle_unstarted
from jobplane.worker.frames import StopReason
from jobplane.worker.watchdog import boot_time

OVERTIME_SECONDS: Final = 1.0  # after its timeout the process is killed
CANCEL_SECONDS: Final = 5.0  # after it was told to stop
LEAVE_SECONDS: Final = 5.0  # for shutdown hooks
PATIENCE_SECONDS: Final = 10.0  # a job that found no process by then goes back to where another worker can take it
REPEAT_SECONDS: Final = 60.0  # between two words on jobs that found no place


@dataclass(slots=True)
class Solo:
    """A job that waits to run alone or runs alone, `since` a time. `timers` end its process."""

    lease: Lease
    row: bytes
    lasting: bool
    since: float = field(default_factory=boot_time)
    timers: list[asyncio.TimerHandle] = field(default_factory=list[asyncio.TimerHandle])

    @property
    def timeout_seconds(self) -> float | None:
        return ClaimedJob(self.row).timeout_seconds


class Lone:
    """Runs each job in a new process. At most `alone_limit` such processes exist at a time."""

    def __init__(self, context: FleetContext, pool: ExecutorPool) -> None:
        self._context = context
        self._pool = pool
        self._backoff = RestartBackoff()
        self._timer: asyncio.TimerHandle | None = None
        self._solos: dict[Remote, Solo] = {}
        self._is_closing = False
        self._reserve = context.settings.alone_limit
        self._said_at = -REPEAT_SECONDS
        self.remotes: list[Remote] = []
        self.waiting: deque[Solo] = deque()

    def take(self, lease: Lease, row: bytes, *, lasting: bool) -> None:
        self.waiting.append(Solo(lease, row, lasting))

    def is_fenced(self) -> bool:
        """Whether it holds a job that must not run past the deadline."""
        return bool(self.waiting) or any(not solo.lasting for solo in self._solos.values())

    def feed(self) -> None:
        """Start processes for waiting jobs, up to the limit. Past the deadline, release the waiting jobs."""
        if self._context.guard.is_late:
            self._lose()
        limit = self._context.settings.alone_limit
        while not (self._timer or self._is_closing) and self._count_lacking() > 0 and len(self.remotes) < limit:
            if self._pool.is_short and self._count_starting():
                return  # those that serve everybody start first
            remote = self._pool.lend()
            if remote is not None:
                self._adopt(remote)
            else:
                self._spawn()

    def stop(self, seqs: Mapping[int, StopReason]) -> None:
        """End waiting jobs at once; ask running ones to stop, and kill those that do not react."""
        for solo in [solo for solo in self.waiting if solo.lease.seq in seqs]:
            self.waiting.remove(solo)
            self._refuse(solo, seqs[solo.lease.seq])
        for remote, solo in self._solos.items():
            why = seqs.get(solo.lease.seq)
            if why is not None and not (why == "gone" and solo.lasting):
                self._stop(remote, solo, why)

    @property
    def wanted(self) -> int:
        """How many more jobs may come: one for each free place, and one to follow it if jobs are short.

        A negative number says how many waiting jobs cannot run.
        """
        return self._context.settings.alone_limit - len(self.remotes) + self._reserve - self._count_lacking()

    @property
    def seconds_each(self) -> float:
        """An estimate of the time until one more job can run."""
        return PAUSE_SECONDS / (self._context.settings.alone_limit if self._reserve else 1)

    def give_back_surplus(self, pauses: Sequence[float]) -> None:
        """Give back as many waiting jobs as there are pauses, the last first. Each waits for one of the pauses."""
        if not pauses:
            return
        surplus = list(self.waiting)[-len(pauses) :]
        for solo in surplus:
            self.waiting.remove(solo)
        self._context.listener.on_ended(
            [settle_unstarted(*each) for each in zip([s.lease for s in surplus], pauses, strict=True)]
        )
        if boot_time() - self._said_at >= REPEAT_SECONDS:
            self._said_at = boot_time()
            self._context.listener.log_event("alone_given_back", jobs=len(surplus), running=len(self.remotes))
        self._context.on_freed()

    def give_back(self) -> None:
        """Give back all waiting jobs."""
        self._release(list(self.waiting))

    def look(self) -> None:
        """Give back jobs that have waited too long, except jobs whose process is starting normally."""
        if self._context.guard.is_late:
            self._lose()
        for remote in self._solos:
            remote.attend()
        oldest = boot_time() - PATIENCE_SECONDS
        served = 0 if self._backoff.is_failing else self._count_starting()
        self.feed()
        if late := [solo for solo in list(self.waiting)[served:] if solo.since < oldest]:
            self._reserve = 0
            self._release(late, PAUSE_SECONDS)

    def close(self) -> None:
        self._is_closing = True
        if self._timer:
            self._timer.cancel()
        self.give_back()

    def ready(self, remote: Remote, catalog: Catalog) -> None:
        """A process is ready: it gets the next job."""
        self._backoff.reset()
        if self._context.guard.is_late:
            self._lose()
        if self.waiting:
            self._begin(remote, self.waiting.popleft())
        else:
            remote.quit(LEAVE_SECONDS)

    def on_changed(self, remote: Remote) -> None:
        """The job of a process has ended: let the process exit."""
        if not remote.leases and (solo := self._solos.pop(remote, None)) is not None:
            _cancel(solo)
            if boot_time() - solo.since < PATIENCE_SECONDS:
                self._reserve = self._context.settings.alone_limit
            remote.quit(LEAVE_SECONDS)

    def on_died(self, remote: Remote, lost: list[Settlement], how: str) -> None:
        self.remotes.remove(remote)
        if (solo := self._solos.pop(remote, None)) is not None:
            _cancel(solo)
        if remote.ready_at is None and not self._is_closing:
            self._on_failed(remote.error or how)
        elif lost:
            name = "executor_died" if remote.cause in ("crash", "watchdog") else "executor_ended"
            facts = {"pid": remote.process.pid, "how": how, "cause": remote.cause, "jobs": 1, "error": remote.error}
            self._context.listener.log_event(name, alone=True, **facts)
            self._context.listener.on_ended(lost)
        self.feed()
        self._context.on_freed()

    def _count_lacking(self) -> int:
        return len(self.waiting) - self._count_starting()

    def _count_starting(self) -> int:
        return sum(remote.ready_at is None for remote in self.remotes)

    def _adopt(self, remote: Remote) -> None:
        remote.alone, remote.keeper = True, self
        self.remotes.append(remote)
        self._begin(remote, self.waiting.popleft())

    def _spawn(self) -> None:
        try:
            self.remotes.append(Remote(self._context, self, alone=True))
        except OSError as error:
            self._on_failed(f"No process can be started: {error}.")

    def _on_failed(self, error: str) -> None:
        """A process did not become ready: pause before the next start."""
        self._context.listener.log_event("executor_failed", alone=True, error=error)
        self._backoff.record_death(0)
        if not self._timer:
            self._timer = asyncio.get_running_loop().call_later(self._backoff.delay(), self._resume)

    def _resume(self) -> None:
        self._timer = None
        self.feed()

    def _begin(self, remote: Remote, solo: Solo) -> None:
        self._solos[remote] = solo
        solo.since = boot_time()
        if solo.lasting:
            self._context.guard.let_last(remote.process)
        remote.deal([solo.lease], solo.row)
        if (seconds := solo.timeout_seconds) is not None:
            self._kill_later(remote, solo, seconds + OVERTIME_SECONDS, "timeout")

    def _stop(self, remote: Remote, solo: Solo, why: StopReason) -> None:
        remote.stop({solo.lease.seq: why})
        if why == "gone":
            remote.kill("gone")
        elif why == "cancel":
            self._kill_later(remote, solo, CANCEL_SECONDS, "cancel")

    def _kill_later(self, remote: Remote, solo: Solo, seconds: float, cause: Cause) -> None:
        solo.timers.append(asyncio.get_running_loop().call_later(seconds, remote.kill, cause))

    def _refuse(self, solo: Solo, why: StopReason) -> None:
        if why == "cancel":
            self._context.listener.on_ended([Settlement(solo.lease, Ending(Outcome.CANCELED))])
        elif why == "shutdown":
            self._context.listener.on_ended([settle_unstarted(solo.lease)])

    def _lose(self) -> None:
        lost = [settle_unstarted(solo.lease) for solo in self.waiting]
        self.waiting.clear()
        if lost:
            self._context.listener.on_ended(lost)

    def _release(self, solos: list[Solo], retry_after: float | None = None) -> None:
        for solo in solos:
            self.waiting.remove(solo)
        if solos:
            self._context.listener.on_ended([settle_unstarted(solo.lease, retry_after) for solo in solos])
            self._context.on_freed()


def _cancel(solo: Solo) -> None:
    for timer in solo.timers:
        timer.cancel()
