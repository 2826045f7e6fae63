"""The executors that share the work: the serving ones, one spare, and those that are about to leave."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from jobplane.core.leases import Lease, Settlement
from jobplane.worker.fleet.backoff import RestartBackoff
from jobplane.worker.fleet.fleet_context import FleetContext
from jobplane.worker.fleet.remote import Remote
from jobplane.worker.fleet.settings import Catalog
from jobplane.worker.watchdog import boot_time

SPARES: Final = 1
CAUTIOUS_SECONDS: Final = 10.0  # after a crash: the jobs that crash processes rarely come alone
RETIRED: Final = 4  # at once for one handler each: beyond that an executor is replaced when half its slots are overdue


class ExecutorPool:
    """Keeps the number of serving executors. A spare replaces a dead one at once; then a new spare is started."""

    def __init__(self, context: FleetContext, opened: Callable[[Catalog | str], None]) -> None:
        self._context = context
        self._opened = opened  # told of the first catalog, or of the error that stands in its way
        self._backoff = RestartBackoff()
        self._timer: asyncio.TimerHandle | None = None
        self._catalog: Catalog | None = None
        self._is_closing = False
        self._promoted = 0
        self._crashed_at = -CAUTIOUS_SECONDS
        self.remotes: list[Remote] = []

    @property
    def serving(self) -> list[Remote]:
        return [remote for remote in self.remotes if remote.is_serving]

    def start(self) -> None:
        """Start the first executors. The spare starts once one of them is ready, so that it delays none of them."""
        self._refill()

    def deal(self, leases: Sequence[Lease], rows: Sequence[bytes]) -> int:
        """Hand the jobs out evenly, more than there is room for if need be. Returns how many: all or none."""
        at = 0
        for remote, share in self._shares(len(leases)):
            remote.deal(leases[at : at + share], b"\n".join(rows[at : at + share]))
            at += share
        return at

    def _shares(self, count: int) -> list[tuple[Remote, int]]:
        serving = sorted(self.serving, key=lambda remote: remote.room)
        shares: list[tuple[Remote, int]] = []
        left = count
        for number, remote in enumerate(serving):
            others = len(serving) - number
            share = left if others == 1 else min(max(0, remote.room), left // others)
            if share:
                shares.append((remote, share))
            left -= share
        return shares

    @property
    def is_short(self) -> bool:
        """Whether fewer executors serve than configured."""
        return not self._is_closing and len(self.serving) < self._context.settings.processes

    def lend(self) -> Remote | None:
        """The spare, for a job that runs alone. None soon after a crash: the spare may be needed for the next one."""
        if boot_time() - self._crashed_at < CAUTIOUS_SECONDS:
            return None
        spare = next((remote for remote in self.remotes if self._is_spare(remote)), None)
        if spare is not None:
            self.remotes.remove(spare)
            self._refill()
        return spare

    def look(self, now: float) -> None:
        """Adjust the buffer of serving processes, and check that every process with jobs responds."""
        for remote in self.remotes:
            if remote.is_serving:
                remote.look(now)
            remote.attend()

    def close(self) -> None:
        """Start no more processes."""
        self._is_closing = True
        if self._timer:
            self._timer.cancel()

    def ready(self, remote: Remote, catalog: Catalog) -> None:
        first, self._catalog = self._catalog is None, catalog
        self._promote()
        if first:
            self._opened(catalog)
            self._refill()

    def on_changed(self, remote: Remote) -> None:
        """Replace an executor in which a handler runs past its timeout.

        It is killed when nothing else runs in it, and leaves on its own when nothing runs in it at all.
        """
        if not (remote.is_retired or self._is_closing) and self._is_stuck(remote):
            self._retire(remote)
        grace = self._context.settings.config.grace_seconds
        if remote.is_retired and not remote.leases:
            remote.quit(grace)
        elif remote.is_retired and remote.leases.keys() <= remote.holdings.overdue.keys():
            remote.kill("stuck")
        elif remote.is_retired:
            remote.bound(grace)

    def _is_stuck(self, remote: Remote) -> bool:
        """Whether a handler in it runs past its timeout, or half its slots are overdue.

        For single handlers only a few processes retire at a time: each takes memory until it is gone.
        """
        if len(remote.holdings.overdue) * 2 >= remote.slots:
            return True
        return bool(remote.holdings.late) and sum(each.is_retired for each in self.remotes) < RETIRED

    def on_died(self, remote: Remote, lost: list[Settlement], how: str) -> None:
        self.remotes.remove(remote)
        self._tell(remote, len(lost), how)
        if lost:
            self._context.listener.on_ended(lost)
        if self._catalog is None and not self._is_closing:
            self._opened(remote.error or f"The process that imports your modules ended before it was ready: {how}.")
        self._judge(remote, lost)
        self._promote()
        self._refill()
        for each in list(self.remotes):  # one may have waited for its turn to retire
            if each.holdings.late:
                self.on_changed(each)
        self._context.on_freed()

    def _judge(self, remote: Remote, lost: list[Settlement]) -> None:
        """Pause before the next start, unless a job may be the reason: a job crashes a shared process only once."""
        if remote.cause != "crash":
            return
        if any(ending.reason == "suspect" for _, ending in lost):
            self._crashed_at = boot_time()
        else:
            self._backoff.record_death(remote.lived_seconds)

    def _tell(self, remote: Remote, jobs: int, how: str) -> None:
        name = "executor_ended" if remote.is_leaving else "executor_died" if remote.ready_at else "executor_failed"
        facts = {"pid": remote.process.pid, "how": how, "cause": remote.cause, "jobs": jobs, "error": remote.error}
        self._context.listener.log_event(name, **facts)

    def _retire(self, remote: Remote) -> None:
        overdue = remote.holdings.overdue
        facts = {"overdue": len(overdue), "job_ids": remote.name_jobs(overdue.keys() & remote.leases.keys())}
        self._context.listener.log_event("executor_retired", pid=remote.process.pid, **facts)
        remote.retire(self._context.settings.config.grace_seconds)
        self._promote()
        self._refill()

    def _promote(self) -> None:
        """Let spares serve in place of missing executors."""
        missing = 0 if self._is_closing else self._context.settings.processes - len(self.serving)
        for remote in [remote for remote in self.remotes if self._is_spare(remote)][: max(0, missing)]:
            remote.is_serving = True
            self._promoted += 1
            if self._promoted > self._context.settings.processes:
                self._context.listener.log_event("executor_replaced", pid=remote.process.pid)
            self._context.on_freed()

    def _is_spare(self, remote: Remote) -> bool:
        return remote.ready_at is not None and not remote.is_serving and not remote.is_retired

    def _refill(self) -> None:
        """Start the missing processes, with a pause before each after deaths."""
        while not self._timer and self._count_missing() > 0:
            delay = self._backoff.delay()
            if delay:
                self._timer = asyncio.get_running_loop().call_later(delay, self._refill_now)
            else:
                self._spawn()

    def _refill_now(self) -> None:
        self._timer = None
        if self._count_missing() > 0:
            self._spawn()
        self._refill()

    def _count_missing(self) -> int:
        if self._is_closing:
            return 0
        wanted = self._context.settings.processes + (SPARES if self._catalog else 0)
        return wanted - sum(not remote.is_retired for remote in self.remotes)

    def _spawn(self) -> None:
        try:
            self.remotes.append(Remote(self._context, self))
        except OSError as error:
            self._context.listener.log_event("executor_failed", error=f"No process can be started: {error}.")
            self._backoff.record_death(0)
