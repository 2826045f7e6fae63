"""The supervisor's side of an executor: its process, its board, and the socket to it."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterable, Mapping, Sequence, Set
from time import monotonic
from typing import Final

import orjson

from jobplane.core.leases import Ending, Lease
from jobplane.worker.channel import Channel
from jobplane.worker.child_process import ChildProcess
from jobplane.worker.fleet import reports
from jobplane.worker.fleet.board import Board
from jobplane.worker.fleet.fleet_context import FleetContext, Keeper
from jobplane.worker.fleet.holdings import Holdings
from jobplane.worker.fleet.listening import Listening
from jobplane.worker.fleet.pace import Pace
from jobplane.worker.fleet.settings import Catalog
from jobplane.worker.fleet.verdict import Cause, Death, ends
from jobplane.worker.frames import BLOCKED_EXIT, BROKEN, Broken, Kind, Ready, Setup, StopReason, frame, json_frame
from jobplane.worker.watchdog import boot_time

MODULE: Final = "jobplane.worker.executor"
SILENT_SECONDS: Final = 1.0  # for a process to end after it has closed its end
NAMED: Final = 20  # jobs in a line of the log


class Remote:
    """Exists from the start of its process until the process is reaped. A spare that runs a job alone sets `alone`."""

    def __init__(self, context: FleetContext, keeper: Keeper, *, alone: bool = False) -> None:
        settings = context.settings
        self._context = context
        self._loop = asyncio.get_running_loop()
        self.keeper = keeper
        self.alone = alone
        self.slots = 1 if alone else settings.config.worker_concurrency
        self.pace = Pace(self.slots, 0 if alone else settings.config.worker_prefetch // settings.processes)
        self.holdings = Holdings(context.listener, self.pace, self._on_changed)
        self.leases = self.holdings.leases
        self.listening = Listening(self.holdings, context.claim_records)
        self._is_deaf = False
        self.ready_at: float | None = None
        self.error: str | None = None
        self._fault: str | None = None  # how it broke the protocol
        self.is_alive = True
        self.is_serving = False
        self.is_retired = False
        self._is_bound = False  # to end in time, because a handler in it is overdue
        self._is_quitting = False
        self.cause: Cause = "crash"
        self._board = Board(self.slots)
        self.process, self._channel = self._spawn()
        self._timer = self._loop.call_later(settings.startup_seconds, self._never_ready)

    def _spawn(self) -> tuple[ChildProcess, Channel]:
        """Start it, have it watched, and send it its first frame."""
        ours, theirs = socket.socketpair()
        try:
            arguments = ("-P", "-m", MODULE, str(theirs.fileno()))
            process = ChildProcess(arguments, (theirs.fileno(), self._board.descriptor))
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
            self._board.hand_over()
        process.offer_to_the_oom_killer()
        self._context.guard.watch(process)
        self._loop.add_reader(process.handle, self._on_died)
        channel = Channel(ours, self._hear, self._on_lost)
        channel.send(json_frame(Kind.SETUP, self._setup()))
        return process, channel

    def _setup(self) -> Setup:
        """The settings that the user's code may know. The worker's login is not among them."""
        settings, config = self._context.settings, self._context.settings.config
        return Setup(
            imports=list(config.worker_imports),
            slots=self.slots,
            threads=self.slots,
            alone=self.alone,
            board_fd=self._board.descriptor,
            log_level=config.log_level,
            log_format=config.log_format,
            linger_ms=settings.linger_ms,
            parent=os.getpid(),
            worker=settings.worker_id,
            url=settings.url,
            artifacts_dir=None if config.artifacts_dir is None else str(config.artifacts_dir.absolute()),
            policy=None if config.worker_policy is None else str(config.worker_policy.absolute()),
            sys_path=list(settings.sys_path),
            lease_seconds=config.lease_seconds,
        )

    @property
    def room(self) -> int:
        """How many more jobs it may hold. Negative: how many to take back. 0 at most while it does not answer."""
        room = self.slots + self.pace.buffer - len(self.leases)
        return min(0, room) if self.listening.is_late else room

    @property
    def lived_seconds(self) -> float:
        """The time since it was ready."""
        return 0.0 if self.ready_at is None else boot_time() - self.ready_at

    @property
    def is_leaving(self) -> bool:
        """Whether it was told to go."""
        return self._is_quitting or self.cause == "closed"

    def find_running(self) -> set[int]:
        """The seqs of the jobs whose handlers run."""
        return self.leases.keys() & self._board.read().running

    def find_begun(self) -> set[int]:
        """The seqs of the jobs whose handlers run or have ended."""
        noted = self._board.read()
        return self.leases.keys() & (noted.running | noted.ended.keys())

    def deal(self, leases: Sequence[Lease], rows: bytes) -> None:
        self.leases.update((lease[0], lease) for lease in leases)
        self._channel.send(frame(Kind.JOBS, rows))

    def stop(self, seqs: Mapping[int, StopReason]) -> None:
        if new := self.holdings.news(seqs):
            self._channel.send(json_frame(Kind.STOP, list(new.items())))

    def follow(self, seqs: Iterable[int]) -> None:
        if mine := [seq for seq in seqs if seq in self.leases]:
            self._channel.send(json_frame(Kind.FOLLOW, mine))

    def credit(self, sizes: Mapping[int, int]) -> None:
        if mine := [(seq, size) for seq, size in sizes.items() if seq in self.leases]:
            self._channel.send(json_frame(Kind.CREDIT, mine))

    def name_tenants(self, slugs: Mapping[str, str]) -> None:
        if slugs and self.ready_at is not None:
            self._channel.send(json_frame(Kind.TENANTS, dict(slugs)))

    def take_back(self, count: int, *, again: bool = False) -> None:
        """Ask for jobs that have not started; `again` also where it was asked before and has not answered."""
        if count > 0 and (again or not self.holdings.is_asked):
            self._ask(count)

    def _ask(self, count: int) -> None:
        self.holdings.is_asked = True
        self._channel.send(json_frame(Kind.BACK, [count]))

    def look(self, now: float) -> None:
        """Update the pace, and take back the jobs that would wait here too long."""
        self.pace.look(now, waiting=len(self.leases) > self.slots)
        self.take_back(-self.room)

    def attend(self) -> None:
        """Check whether it responds. Kill it if a job in it must stop and cannot be stopped otherwise."""
        now, running = monotonic(), self.find_running()
        if self.listening.look(now, running):
            self._ask(0)
        if self.listening.is_deaf != self._is_deaf:
            self._is_deaf = self.listening.is_deaf
            facts = {"job_ids": self.name_jobs(running), "jobs": len(running)} if self._is_deaf else {}
            self._context.listener.log_event(
                "executor_deaf" if self._is_deaf else "executor_listens", pid=self.process.pid, **facts
            )
        if self.cause == "crash" and (fault := self.listening.fault(now)) is not None:
            cause, self.error = fault
            self.kill(cause)

    def name_jobs(self, seqs: Iterable[int]) -> list[str]:
        known = [self._context.claim_records.facts(self.leases[seq]) for seq in sorted(seqs)[:NAMED]]
        return [facts.job_id for facts in known if facts is not None]

    def quit(self, patience_seconds: float) -> None:
        """Let it exit on its own, with its shutdown hooks."""
        if not self._is_quitting:
            self._is_quitting, self.cause = True, "closed"
            self._channel.send(frame(Kind.QUIT))
            self._timer.cancel()
            self._timer = self._loop.call_later(patience_seconds, self._give_up, patience_seconds)

    def retire(self, patience_seconds: float) -> None:
        """Deal it no more jobs. Jobs that have not started come back, those that run have this long to end."""
        self.is_serving, self.is_retired = False, True
        self.take_back(len(self.leases), again=True)
        self.bound(patience_seconds)

    def bound(self, patience_seconds: float) -> None:
        """Kill a retired process after this long, unless its overdue handlers end before."""
        if not self.holdings.overdue:
            self._timer.cancel()
            self._is_bound = False
        elif not self._is_bound:
            self._is_bound = True
            self._alarm(patience_seconds, "stuck")

    def kill(self, cause: Cause) -> None:
        """Kill the process and its children. The cause decides how its jobs end."""
        if self.is_alive:
            self.cause = cause
            self.process.kill()

    def abandon(self) -> None:
        """Give up on a process that cannot be killed; the watchdog goes on trying."""
        if self.is_alive:
            self._loop.remove_reader(self.process.handle)
            self._end("The process could not be killed", killed_by_watchdog=False)

    def _alarm(self, seconds: float, cause: Cause) -> None:
        self._timer.cancel()
        self._timer = self._loop.call_later(seconds, self.kill, cause)

    def _never_ready(self) -> None:
        self.error = f"Imports and startup hooks did not finish within {self._context.settings.startup_seconds:g} s."
        self.process.kill()

    def _give_up(self, seconds: float) -> None:
        self._context.listener.log_event("hooks_not_done", pid=self.process.pid, seconds=round(seconds, 1))
        self.kill("closed")

    def _on_lost(self, fault: str | None) -> None:
        """The socket is closed. A process that exits on its own has closed it too, and is about to end."""
        if fault is not None and not self._is_quitting:
            self._break(fault)
            return
        self._timer.cancel()
        self._timer = self._loop.call_later(SILENT_SECONDS, self._break, "it closed its socket and did not end")

    def _break(self, fault: str) -> None:
        """Kill a process that broke the protocol: nothing that it says can be trusted."""
        if not self._is_quitting:
            self._fault, self.error = fault, self.error or fault
        self.kill(self.cause)

    def _on_died(self) -> None:
        self._loop.remove_reader(self.process.handle)
        self._channel.drain()
        killed_by_watchdog = self._context.guard.forget(self.process)
        self._end(self.process.reap(), killed_by_watchdog=killed_by_watchdog)

    def _end(self, how: str, *, killed_by_watchdog: bool) -> None:
        self.is_alive = self.is_serving = False
        self._timer.cancel()
        self._channel.close()
        if killed_by_watchdog and self.cause == "crash":
            self.cause, how = "watchdog", f"{how}: its leases were not renewed in time"
        elif self.cause == "crash" and self.process.exit_code == BLOCKED_EXIT and self.holdings.late:
            self.cause = "stuck"  # it named the handler that blocked its event loop
        if self.process.exit_code == BROKEN and self._fault is None:
            self._fault = "it could not go on, as its log says"
        begun, ended = self._read_board()
        death = Death(
            cause=self.cause,
            how=how,
            exit_code=self.process.exit_code,
            alone=self.alone,
            running=begun,
            ended=ended,
            fault=self._fault,
            late=self._find_late(begun),
            timeouts={
                seq: self._context.claim_records.timeout_seconds(self.leases[seq]) for seq in begun & self.leases.keys()
            },
            stops=self.holdings.stops,
        )
        self.holdings.lose(self._board.count_lines())
        lost = ends(self.leases.values(), death)
        self.leases.clear()
        self._board.close()
        self.keeper.on_died(self, lost, how)

    def _read_board(self) -> tuple[Set[int], Mapping[int, Ending]]:
        """The seqs that ran, and the outcomes of those that had ended.

        No outcome counts of a process that broke the protocol; and a job that ran alone there has run, whatever the
        board says: its handler may have written to that too.
        """
        noted = self._board.read()
        if self._fault is not None:
            return self.leases.keys() if self.alone else noted.running | noted.ended.keys() | noted.sent, {}
        ended = reports.read_endings(noted.ended)
        unheard = noted.sent if self.cause == "deaf" else frozenset[int]()  # lost on its way, in bytes of somebody else
        return noted.running | unheard | (noted.ended.keys() - ended.keys()), ended

    def _find_late(self, running: Set[int]) -> set[int]:
        """The jobs past their timeouts: as the executor said, or if it did not respond, the only job that ran in it."""
        over = self.listening.find_over(monotonic()) if self.cause == "deaf" and len(running) == 1 else set[int]()
        return (self.holdings.late | over) & running

    def _hear(self, kind: Kind, body: bytes) -> None:
        self.listening.record_answer()
        match kind:
            case Kind.READY | Kind.FAILED if self.ready_at is not None:
                raise Broken(f"{kind.name} from a process that is ready")
            case Kind.READY:
                self._ready(orjson.loads(body))
            case Kind.FAILED:
                self.error = str(orjson.loads(body)["error"])
            case _:
                self.holdings.hear(kind, body)

    def _ready(self, known: Ready) -> None:
        self._timer.cancel()
        self.ready_at = boot_time()
        self._context.listener.log_event("executor_started", pid=self.process.pid, alone=self.alone or None)
        self.name_tenants(self._context.find_slugs())
        self.keeper.ready(self, Catalog(known["definitions"], known["version"], known["url"]))

    def _on_changed(self) -> None:
        self.keeper.on_changed(self)
        self._context.on_freed()
