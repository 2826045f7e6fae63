"""The processes that run handlers: the fleet takes leases and reports how each attempt ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Final

from jobplane import __version__
from jobplane.core.claimed import KEY
from jobplane.core.errors import WorkerFailed
from jobplane.core.leases import Claimed, Lease
from jobplane.worker.allowlist import Allowlist
from jobplane.worker.claim_records import ClaimRecords
from jobplane.worker.fleet import orphans
from jobplane.worker.fleet.commands import CommandPool
from jobplane.worker.fleet.fence import Fence
from jobplane.worker.fleet.fleet_context import FleetContext
from jobplane.worker.fleet.guard import Guard
from jobplane.worker.fleet.lone import Lone
from jobplane.worker.fleet.pool import ExecutorPool
from jobplane.worker.fleet.quotas import Quotas
from jobplane.worker.fleet.remote import Remote
from jobplane.worker.fleet.settings import Catalog, FleetListener
from jobplane.worker.fleet.verdict import PAUSE_SECONDS, settle_unstarted
from jobplane.worker.frames import StopReason
from jobplane.worker.settings import WorkerSettings
from jobplane.worker.watchdog import boot_time

LOOK_SECONDS: Final = 0.25
QUIT_SECONDS: Final = 1.5  # for shutdown hooks when the worker ends, at least
LONGEST_PAUSE_SECONDS: Final = 60.0
DIE_SECONDS: Final = 1.0  # for the kernel to end what was killed
NO_CATALOG: Final = Catalog({}, __version__, None)  # of a worker that runs commands only


class Fleet:
    """Reports each lease that `deal` takes to `listener` exactly once, whatever happens to the processes.

    The only exception is a lost lease: its end is not reported. Call all methods on one event loop and its thread.
    """

    def __init__(
        self,
        settings: WorkerSettings,
        listener: FleetListener,
        claim_records: ClaimRecords,
        find_slugs: Callable[[], Mapping[str, str]] = dict[str, str],
        allowlist: Allowlist | None = None,
    ) -> None:
        self._settings = settings
        self._listener = listener
        self._fence = Fence(settings.config.lease_seconds)
        self._guard = Guard(self._fence, listener)
        self._context = context = FleetContext(settings, listener, self._guard, claim_records, find_slugs)
        self._pool = ExecutorPool(context, self._on_opened)
        self._lone = Lone(context, self._pool)
        self._commands = CommandPool(context, allowlist) if allowlist is not None and settings.commands else None
        self._quotas = Quotas()
        self._command_quotas = Quotas()
        self._handled_queues: frozenset[str] = frozenset()
        self._passed: dict[int, int] = {}  # how often a job came whose last attempt still runs here
        self._opening: asyncio.Future[Catalog | str] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._is_stopping = False
        self._buries = settings.adopts and orphans.adopts_orphans()

    async def start(self) -> Catalog:
        """Start everything. Returns when the first executor is ready; raises WorkerFailed if it cannot start."""
        self._opening = asyncio.get_running_loop().create_future()
        try:
            self._guard.start()
            if self._commands is not None:
                self._commands.start()
            if self._settings.processes:
                self._pool.start()
            else:
                self._on_opened(NO_CATALOG)
            self._look()
            catalog = await self._opening
        except BaseException:
            await self.close()
            raise
        if isinstance(catalog, str):
            await self.close()
            raise WorkerFailed(catalog)
        return catalog

    @property
    def is_ready(self) -> bool:
        """Whether an executor, the launcher of commands if there are any, and the watchdog are up."""
        has_executor = bool(self._pool.serving) or not self._settings.processes
        return self._guard.is_up and has_executor and (self._commands is None or self._commands.is_up)

    def room(self) -> int:
        """How many leases may be claimed now."""
        if self._is_stopping or not self._guard.is_up or self._guard.is_late:
            return 0
        return self._handler_room() + (0 if self._commands is None else self._commands.wanted)

    def _handler_room(self) -> int:
        return sum(max(0, remote.room) for remote in self._pool.serving)

    def quota(self, queue: str) -> int:
        """The most to claim from this queue: jobs that run alone and commands have few places, and should stay there.

        From a queue that handlers and commands share nothing is claimed while the executors are full.
        """
        now = boot_time()
        most = self._quotas.of(queue, self._lone.wanted, now)
        if self._commands is None:
            return most
        has_commands = queue in self._commands.queues()
        if not self._settings.processes or (has_commands and queue not in self._handled_queues):
            return self._commands.wanted
        if has_commands:
            most = min(most, self._command_quotas.of(queue, self._commands.wanted, now))
        return min(most, self._handler_room())

    def deal(self, claimed: Claimed, asked_at: float, queue: str) -> list[Lease]:
        """Hand out the jobs of a claim. Returns the leases to release: the answer is too old, or there is no room."""
        now = boot_time()
        if self._is_stopping or not claimed.leases or self._fence.is_late(asked_at, now):
            return claimed.leases
        before = self._fence.deadline
        if not self._holds_fenced():
            self._fence.resume(now)
        if self._guard.is_late:
            return claimed.leases
        self._fence.dealt(asked_at, now)
        if self._fence.deadline != before:
            self._move()
        return self._hand_out(claimed, queue)

    def _hand_out(self, claimed: Claimed, queue: str) -> list[Lease]:
        rows = claimed.jobs.split(b"\n")
        twice = self._find_held({lease[0] for lease in claimed.leases})
        if self._commands is not None:
            claimed, rows = self._take_commands(self._commands, claimed, rows, queue, twice)
        if not claimed.alone and not twice:
            self._quotas.learn(queue, 0, boot_time(), found_nothing=False)
            return claimed.leases[self._pool.deal(claimed.leases, rows) :]
        shared: list[tuple[Lease, bytes]] = []
        for lease, row in zip(claimed.leases, rows, strict=True):
            if lease.seq in twice:
                self._pass_on(lease)
            elif lease.seq in claimed.alone:
                self._lone.take(lease, row, lasting=lease.seq in claimed.lasting)
            else:
                shared.append((lease, row))
        self._lone.feed()
        surplus = max(0, -self._lone.wanted)
        each = self._lone.seconds_each
        self._lone.give_back_surplus(
            self._quotas.learn(queue, surplus, boot_time(), found_nothing=not shared, each=each)
        )
        leases = [lease for lease, _ in shared]
        return leases[self._pool.deal(leases, [row for _, row in shared]) :]

    def _take_commands(
        self, commands: CommandPool, claimed: Claimed, rows: list[bytes], queue: str, twice: set[int]
    ) -> tuple[Claimed, list[bytes]]:
        """Keep the commands of a claim. Returns the jobs of handlers, and those whose earlier attempt still runs."""
        left: list[tuple[Lease, bytes]] = []
        for lease, row in zip(claimed.leases, rows, strict=True):
            if lease.seq not in twice and commands.serves(row.split(b"\t", KEY + 1)[KEY]):
                commands.take(lease, row)
            else:
                left.append((lease, row))
        commands.feed()
        surplus = commands.surplus
        found_nothing, each = not left and bool(claimed.leases), commands.seconds_each
        commands.give_back_surplus(
            self._command_quotas.learn(queue, surplus, boot_time(), found_nothing=found_nothing, each=each)
        )
        return claimed._replace(leases=[lease for lease, _ in left]), [row for _, row in left]

    def _find_held(self, seqs: set[int]) -> set[int]:
        """Jobs whose earlier attempt still runs here without a lease: a seq cannot name two attempts."""
        held = set[int]().union(*(remote.leases.keys() & seqs for remote in self._remotes()))
        held |= {lease.seq for lease in self._list_commands() if lease.seq in seqs}
        return held | {solo.lease.seq for solo in self._lone.waiting if solo.lease.seq in seqs}

    def _pass_on(self, lease: Lease) -> None:
        """Release a job whose earlier attempt still runs here, each time for longer."""
        times = self._passed[lease.seq] = self._passed.get(lease.seq, 0) + 1
        self._listener.on_ended([settle_unstarted(lease, min(PAUSE_SECONDS * 2 ** (times - 1), LONGEST_PAUSE_SECONDS))])

    def list_held(self) -> list[Lease]:
        """All leases to renew: of jobs that run, that wait in an executor, and that wait to run alone; of commands."""
        held = [*(solo.lease for solo in self._lone.waiting), *self._list_commands()]
        for remote in self._remotes():
            held += remote.leases.values()
        return held

    def find_begun(self) -> set[int]:
        """The seqs of the jobs that have started."""
        begun = set[int]() if self._commands is None else self._commands.find_begun()
        return begun.union(*(remote.find_begun() for remote in self._remotes()))

    def _list_commands(self) -> list[Lease]:
        return [] if self._commands is None else self._commands.list_held()

    def stop(self, seqs: Mapping[int, StopReason]) -> None:
        """Stop these jobs: canceled, leases lost, or the worker stops."""
        self._lone.stop(seqs)
        for remote in self._pool.remotes:
            remote.stop(seqs)
        if self._commands is not None:
            self._commands.stop(seqs)

    def follow(self, seqs: Iterable[int]) -> None:
        """Somebody reads the logs of these jobs now."""
        wanted = list(seqs)
        for remote in self._remotes():
            remote.follow(wanted)
        if self._commands is not None:
            self._commands.follow(wanted)

    def credit(self, sizes: Mapping[int, int]) -> None:
        """Report how many bytes of the logs are stored, by seq."""
        for remote in self._remotes():
            remote.credit(sizes)
        if self._commands is not None:
            self._commands.credit(sizes)

    def name_tenants(self, slugs: Mapping[str, str]) -> None:
        """Tell the executors the slugs of tenants, for the log lines that they write."""
        for remote in self._remotes():
            remote.name_tenants(slugs)

    def confirm(self, sent_at: float) -> None:
        """A renewal of all leases that were held at `sent_at` (`boot_time`) succeeded: move the deadline."""
        self._fence.confirm(sent_at)
        self._move()

    def _move(self) -> None:
        """Tell the deadline to all who act on it."""
        self._guard.move()
        if self._commands is not None:
            self._commands.move(self._fence.deadline)

    def take_back_all(self) -> None:
        """Take back all jobs that have not started, and accept no more: the worker is about to stop."""
        self._is_stopping = True
        self._pool.close()
        self._lone.close()
        for remote in self._pool.remotes:
            remote.take_back(len(remote.leases), again=True)
        if self._commands is not None:
            self._commands.take_back_all()

    async def drain(self, seconds: float) -> bool:
        """Wait until no lease is held. Returns whether that came in time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._until(lambda: not self.list_held())
        return not self.list_held()

    async def close(self, seconds: float = 0) -> None:
        """End every process. When this returns, all leases have been reported.

        Shutdown hooks have `seconds`, but at least 1.5 s.
        """
        patience = max(seconds, QUIT_SECONDS)
        self._is_stopping = True
        if self._timer:
            self._timer.cancel()
        self._pool.close()
        self._lone.close()
        for remote in self._remotes():
            if remote.leases or not remote.ready_at:
                remote.kill("closed")
            else:
                remote.quit(patience)
        with suppress(TimeoutError):
            async with asyncio.timeout(patience + DIE_SECONDS):
                await self._until(lambda: not self._remotes())
        for remote in self._remotes():
            remote.abandon()
        if self._commands is not None:
            await self._commands.close()
        await self._guard.close()

    def hurry(self) -> None:
        """Stop waiting for shutdown hooks."""
        for remote in self._remotes():
            remote.kill("closed")
        if self._commands is not None:
            self._commands.kill_all()

    async def _until(self, reached: Callable[[], bool]) -> None:
        while not reached():
            self._context.stirred.clear()
            await self._context.stirred.wait()

    def _remotes(self) -> list[Remote]:
        return self._pool.remotes + self._lone.remotes

    def _holds_fenced(self) -> bool:
        """Whether a job is held that must not run longer than its lease."""
        is_held = any(remote.leases for remote in self._pool.remotes) or bool(self._list_commands())
        return is_held or self._lone.is_fenced()

    def _on_opened(self, catalog: Catalog | str) -> None:
        if isinstance(catalog, Catalog):
            self._quotas.know(catalog)
            self._handled_queues = frozenset(known["queue"] for known in catalog.definitions.values())
            if self._commands is not None:
                self._commands.know(catalog.definitions)
        if self._opening and not self._opening.done():
            self._opening.set_result(catalog)

    def _look(self) -> None:
        """The periodic checks."""
        self._timer = asyncio.get_running_loop().call_later(LOOK_SECONDS, self._look)
        now = boot_time()
        self._pool.look(now)
        self._lone.look()
        if self._commands is not None:
            self._commands.look()
        self._guard.look()
        if self._fence.deadline - now < self._settings.config.lease_seconds / 3 and not self._holds_fenced():
            self._fence.rest()
            self._move()
        if self._passed:
            held = {lease.seq for lease in self.list_held()}
            self._passed = {seq: times for seq, times in self._passed.items() if seq in held}
        if self._buries:
            launcher = None if self._commands is None else self._commands.pid
            orphans.bury({remote.process.pid for remote in self._remotes()} | {self._guard.pid, launcher})
