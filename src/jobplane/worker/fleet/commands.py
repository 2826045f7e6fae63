"""The commands of a worker: each runs under a keeper of its own, a bounded number at a time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Final

from jobplane.core.command import Command
from jobplane.core.errors import StoreUnavailable
from jobplane.core.leases import Ending, Lease, Settlement, settle_released
from jobplane.core.model import Outcome
from jobplane.execution.artifacts import Artifacts
from jobplane.process.contact import CallRefused, ConnectionLost
from jobplane.worker.allowlist import Allowlist, Approved
from jobplane.worker.commands.launching import Launcher
from jobplane.worker.commands.protocol import Report
from jobplane.worker.fleet.backoff import RestartBackoff
from jobplane.worker.fleet.command_attempt import CommandAttempt
from jobplane.worker.fleet.command_endings import end_command, make_output
from jobplane.worker.fleet.command_orders import REFUSALS, end_refused, make_order
from jobplane.worker.fleet.fleet_context import FleetContext
from jobplane.worker.fleet.verdict import PAUSE_SECONDS, settle_unstarted
from jobplane.worker.frames import StopReason
from jobplane.worker.watchdog import boot_time

AHEAD_SECONDS: Final = 0.25  # of work may wait
MOST_AHEAD: Final = 100
LONG_SECONDS: Final = 60.0  # of commands behind which none waits, for a limit below 240
LARGE_RESULT: Final = 64 * 1024  # characters; 16 MiB take seconds, and a slow disk of artifacts takes longer
PATIENCE_SECONDS: Final = 2.0  # a command that has waited for so long goes back to where another worker can take it


class CommandPool:
    """Reports each lease that `take` was given exactly once, unless the lease is lost."""

    def __init__(self, context: FleetContext, allowlist: Allowlist) -> None:
        self._context = context
        self._allowlist = allowlist
        self._handled: frozenset[bytes] = frozenset()  # definitions that have a handler
        self._launcher = Launcher(context.listener.log_event)
        self._backoff = RestartBackoff()
        self._started_at = 0.0
        self._again_at = 0.0
        self._is_closing = False
        self._usual_seconds: float | None = None  # of the last commands
        self._judging: set[asyncio.Task[None]] = set()  # of large results
        self._one_large = asyncio.Lock()  # each may take some hundred MiB
        directory = context.settings.config.artifacts_dir
        self._artifacts = None if directory is None else Artifacts(directory)
        self.waiting: deque[CommandAttempt] = deque()
        self.running: dict[int, CommandAttempt] = {}

    @property
    def is_up(self) -> bool:
        """Whether commands can be started."""
        return self._launcher.is_up

    @property
    def pid(self) -> int | None:
        """Of the launcher."""
        return self._launcher.pid

    @property
    def limit(self) -> int:
        return self._context.settings.commands

    def start(self) -> None:
        """Start the launcher. Raises OSError."""
        self._started_at = boot_time()
        self._launcher.start()

    def know(self, handled: Iterable[str]) -> None:
        """Learn which definitions have a handler in the executors: these are no commands."""
        self._handled = frozenset(key.encode() for key in handled)

    def serves(self, key: bytes) -> bool:
        """Whether a job of this definition goes to this pool, where it is judged again.

        A definition that is a command now may have the key of a handler.
        """
        return key not in self._handled or key.decode() in self._allowlist.ready

    def queues(self) -> tuple[str, ...]:
        """The queues of the commands that may run here."""
        return tuple(self._allowlist.queues)

    @property
    def wanted(self) -> int:
        """The number of commands that may be claimed now."""
        if not self._launcher.is_up or self._is_closing:
            return 0
        usual = LONG_SECONDS if self._usual_seconds is None else self._usual_seconds
        return max(0, self.limit + self._most_ahead(usual) - len(self.running) - len(self.waiting))

    @property
    def surplus(self) -> int:
        """The number of waiting commands to give back. While it is not known how long they take, more may wait."""
        if not self._launcher.is_up or self._is_closing:
            return len(self.waiting)
        most = MOST_AHEAD if self._usual_seconds is None else self._most_ahead(self._usual_seconds)
        return max(0, len(self.running) + len(self.waiting) - self.limit - most)

    def _most_ahead(self, usual: float) -> int:
        return min(MOST_AHEAD, int(self.limit * AHEAD_SECONDS / max(usual, 1e-3)))

    @property
    def seconds_each(self) -> float:
        """An estimate of the time until one more command can run."""
        return min(PAUSE_SECONDS, self._usual_seconds or PAUSE_SECONDS) / self.limit

    def take(self, lease: Lease, row: bytes) -> None:
        self.waiting.append(CommandAttempt(lease, row, self._context.listener, self._on_ended))

    def feed(self) -> None:
        """Start waiting commands while there is room."""
        while self.waiting and len(self.running) < self.limit and self._launcher.is_up and not self._is_closing:
            attempt = self.waiting.popleft()
            self.running[attempt.lease.seq] = attempt
            attempt.task = asyncio.create_task(self._begin(attempt))

    def give_back_surplus(self, pauses: Iterable[float]) -> None:
        """Give back as many waiting commands as there are pauses, the last first. Each waits for one of them."""
        back = [settle_unstarted(self.waiting.pop().lease, pause) for pause in pauses if self.waiting]
        self._tell(back)

    def list_held(self) -> list[Lease]:
        return [attempt.lease for attempt in (*self.waiting, *self.running.values())]

    def find_begun(self) -> set[int]:
        """The seqs of commands that have been started, or are about to be."""
        return {seq for seq, attempt in self.running.items() if attempt.running is not None}

    def stop(self, seqs: Mapping[int, StopReason]) -> None:
        """End waiting commands at once; ask the others to stop."""
        for attempt in [attempt for attempt in self.waiting if attempt.lease.seq in seqs]:
            self.waiting.remove(attempt)
            self._tell(_refuse(attempt, seqs[attempt.lease.seq]))
        for seq, attempt in list(self.running.items()):
            if seq in seqs:
                attempt.stop(seqs[seq])

    def follow(self, seqs: Iterable[int]) -> None:
        for seq in seqs:
            if (attempt := self.running.get(seq)) is not None:
                attempt.follow()

    def credit(self, sizes: Mapping[int, int]) -> None:
        for seq, size in sizes.items():
            if (attempt := self.running.get(seq)) is not None and attempt.running is not None:
                attempt.running.credit(size)

    def move(self, deadline: float) -> None:
        """Until then all held leases are certainly valid. Keepers end their commands before it."""
        self._launcher.deadline.move(deadline)

    def look(self) -> None:
        """Restart a launcher that has ended; give back commands that have waited too long."""
        now = boot_time()
        if not self._launcher.is_up and not self._is_closing and now >= self._again_at:
            self._restart(now)
        self.feed()
        if late := [each for each in self.waiting if now - each.since > PATIENCE_SECONDS]:
            self._usual_seconds = LONG_SECONDS  # those that run now take longer than those before
            for attempt in late:
                self.waiting.remove(attempt)
            self._tell([settle_unstarted(attempt.lease, PAUSE_SECONDS) for attempt in late])

    def take_back_all(self) -> None:
        """Give back all that has not started, and start no more."""
        self._is_closing = True
        self._tell([settle_unstarted(attempt.lease) for attempt in self.waiting])
        self.waiting.clear()

    def kill_all(self) -> None:
        for attempt in self.running.values():
            attempt.stop("shutdown")
            attempt.kill()

    async def close(self) -> None:
        """End the launcher, and with it every process of a command. Release what has not been reported."""
        self.take_back_all()
        await self._launcher.close()
        await asyncio.gather(*self._judging, return_exceptions=True)
        for attempt in list(self.running.values()):
            if attempt.task is not None:
                attempt.task.cancel()
            self._end(attempt, [settle_released(attempt.lease, "shutdown")])

    def _restart(self, now: float) -> None:
        self._backoff.record_death(now - self._started_at)
        self._again_at = now + self._backoff.delay()
        try:
            self.start()
        except OSError as error:
            self._context.listener.log_event("launcher_failed", error=str(error))
        else:
            self._context.listener.on_freed()

    async def _begin(self, attempt: CommandAttempt) -> None:
        """Start a command, or end its attempt: one without an end would keep its slot and its lease for good."""
        try:
            await self._start(attempt)
        except (ConnectionLost, CallRefused):
            self._end(attempt, [settle_unstarted(attempt.lease, PAUSE_SECONDS)])
        except Exception as error:
            if attempt.running is not None:  # its keeper reports it
                raise
            self._context.listener.log_event("command_not_started", level="error", **_facts(attempt, error))
            self._end(attempt, [settle_unstarted(attempt.lease, PAUSE_SECONDS)])

    async def _start(self, attempt: CommandAttempt) -> None:
        """Ask once more whether the command may run, and start it. No process is started otherwise."""
        approved = await self._allowlist.approve(attempt.job.definition_key)
        if isinstance(approved, str):
            refused = settle_released(attempt.lease, approved, PAUSE_SECONDS)
            return self._end(attempt, [refused] if attempt.stopped is None else _refuse(attempt, attempt.stopped))
        try:
            self._launch(attempt, approved)
        finally:
            approved.executable.close()

    def _launch(self, attempt: CommandAttempt, approved: Approved) -> None:
        policy = self._allowlist.policy
        if attempt.stopped is not None:
            return self._end(attempt, _refuse(attempt, attempt.stopped))
        if policy is None or self._is_closing or self._context.guard.is_late:
            return self._end(attempt, [settle_unstarted(attempt.lease)])
        try:
            order = make_order(approved, policy, attempt.job)
        except REFUSALS as error:
            return self._end(attempt, [Settlement(attempt.lease, end_refused(error))])
        try:
            running = self._launcher.run(order, approved.executable.fd, attempt)
        except OSError as error:
            self._context.listener.log_event("launcher_failed", error=str(error))
            return self._end(attempt, [settle_unstarted(attempt.lease, PAUSE_SECONDS)])
        return attempt.watch(running, approved.command, approved.entry.grace_seconds)

    def _on_ended(self, attempt: CommandAttempt, report: Report | None, how: str) -> None:
        """Its processes are all gone."""
        spent = boot_time() - attempt.since
        self._usual_seconds = spent if self._usual_seconds is None else (self._usual_seconds + spent) / 2
        if report is not None and attempt.stopped != "gone":
            self._context.listener.on_output(attempt.lease, make_output(report))
        if report is not None and attempt.command is not None and len(report["result"] or "") > LARGE_RESULT:
            self._judging.add(task := asyncio.create_task(self._end_large(attempt, report, attempt.command, spent)))
            task.add_done_callback(self._judging.discard)
            return
        settled = self._settle(attempt, report, how)
        self._end(attempt, [] if settled is None else [_timed(settled, spent)])

    async def _end_large(self, attempt: CommandAttempt, report: Report, command: Command, spent: float) -> None:
        """End an attempt whose result takes long to read and to write: the loop renews leases meanwhile."""
        async with self._one_large:
            ending = await asyncio.to_thread(self._judge, attempt, report, command)
        is_gone = attempt.stopped == "gone"
        self._end(attempt, [] if is_gone else [_timed(Settlement(attempt.lease, ending), spent)])

    def _settle(self, attempt: CommandAttempt, report: Report | None, how: str) -> Settlement | None:
        if attempt.stopped == "gone":
            return None
        if report is not None and attempt.command is not None:
            return Settlement(attempt.lease, self._judge(attempt, report, attempt.command))
        if attempt.stopped is not None:
            return next(iter(_refuse(attempt, attempt.stopped)), None)
        if self._context.guard.is_late:
            return settle_released(attempt.lease, "lost_contact")
        error = f"The process that kept this command ended before the command did: {how}."
        return Settlement(attempt.lease, Ending(Outcome.LOST, "keeper_died", error))

    def _judge(self, attempt: CommandAttempt, report: Report, command: Command) -> Ending:
        """Its ending by the report. An attempt must have one, whatever its process has reported."""
        try:
            return end_command(report, command, attempt.job.timeout_seconds, self._artifacts)
        except StoreUnavailable as error:  # the disk of the artifacts
            return Ending(Outcome.FAILED, error.code, error.message)
        except Exception as error:  # noqa: BLE001 a report may have anything
            self._context.listener.log_event("command_not_judged", level="error", **_facts(attempt, error))
            message = f"The end of the command could not be judged: {type(error).__name__}. See the log of the worker."
            return Ending(Outcome.FAILED, "not_judged", message)

    def _end(self, attempt: CommandAttempt, settlements: list[Settlement]) -> None:
        if self.running.pop(attempt.lease.seq, None) is None:
            return
        self._tell(settlements)
        self.feed()
        self._context.on_freed()

    def _tell(self, settlements: list[Settlement]) -> None:
        if settlements:
            self._context.listener.on_ended(settlements)


def _refuse(attempt: CommandAttempt, why: StopReason) -> list[Settlement]:
    """The settlement of a command that is stopped and was not started, or whose keeper is gone.

    A lost lease has none.
    """
    if why == "cancel":
        return [Settlement(attempt.lease, Ending(Outcome.CANCELED))]
    if why == "shutdown":
        return [settle_released(attempt.lease, "shutdown") if attempt.running else settle_unstarted(attempt.lease)]
    return []


def _facts(attempt: CommandAttempt, error: Exception) -> dict[str, object]:
    return {"definition": attempt.job.definition_key, "job_id": str(attempt.job.job_id), "error": repr(error)}


def _timed(settlement: Settlement, spent: float) -> Settlement:
    return Settlement(settlement.lease, settlement.ending._replace(spent_ms=round(spent * 1000)))
