"""Start the watchdog, restart it when it dies, and tell it the processes and the deadline."""

from __future__ import annotations

import asyncio
import os
import socket
from contextlib import suppress
from typing import Final

from jobplane.worker import watchdog
from jobplane.worker.child_process import ChildProcess
from jobplane.worker.fleet.backoff import RestartBackoff
from jobplane.worker.fleet.fence import Fence
from jobplane.worker.fleet.settings import FleetListener
from jobplane.worker.watchdog import RECORD, boot_time

LIVED_SECONDS: Final = 1.0  # one that dies younger is not replaced at once
DEAF_SECONDS: Final = 5.0  # a watchdog that has not answered for so long is stopped, and replaced


class Guard:
    """Keeps one watchdog alive. A new one gets all processes and the same deadline."""

    def __init__(self, fence: Fence, listener: FleetListener) -> None:
        self._fence = fence
        self._listener = listener
        self._backoff = RestartBackoff()
        self._watched: dict[int, ChildProcess] = {}
        self._lasting: set[int] = set()
        self._killed: set[int] = set()
        self._watchdog: ChildProcess | None = None
        self._socket: socket.socket | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._started_at = 0.0
        self._asked_at: float | None = None

    @property
    def is_up(self) -> bool:
        """Whether a watchdog runs: without it no job may start."""
        return self._socket is not None

    @property
    def is_late(self) -> bool:
        """Whether the deadline has passed: all held leases count as lost."""
        return boot_time() >= self._fence.deadline

    @property
    def pid(self) -> int | None:
        return self._watchdog.pid if self._watchdog else None

    def start(self) -> None:
        """Start a watchdog, on the event loop's thread. All records are sent before the process exists."""
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        self._socket, self._asked_at = ours, None
        self._tell_all()
        try:
            arguments = ("-I", "-S", watchdog.__file__, str(theirs.fileno()), str(os.getpid()))
            self._watchdog = ChildProcess(arguments, (theirs.fileno(),))
        except OSError:
            ours.close()
            self._socket = None
            raise
        finally:
            theirs.close()
        self._started_at = boot_time()
        loop = asyncio.get_running_loop()
        loop.add_reader(ours, self._hear)
        loop.add_reader(self._watchdog.handle, self._on_died)

    def _tell_all(self) -> None:
        for process in self._watched.values():
            self._send(watchdog.WATCH, process.pid, process.pidfd)
        for pid in self._lasting:
            self._send(watchdog.LASTING, pid)
        self.move()

    def watch(self, process: ChildProcess) -> None:
        self._watched[process.pid] = process
        self._send(watchdog.WATCH, process.pid, process.pidfd)

    def let_last(self, process: ChildProcess) -> None:
        """Let a process run past the deadline. It still dies with the supervisor."""
        self._lasting.add(process.pid)
        self._send(watchdog.LASTING, process.pid)

    def forget(self, process: ChildProcess) -> bool:
        """Stop watching a process, before it is reaped. Returns whether the watchdog killed it."""
        self._hear()
        self._watched.pop(process.pid, None)
        lasting = process.pid in self._lasting
        self._lasting.discard(process.pid)
        self._send(watchdog.FORGET, process.pid)
        killed = process.pid in self._killed
        self._killed.discard(process.pid)
        return killed or (self.is_late and not lasting)

    def move(self) -> None:
        """Send the deadline of the fence."""
        if self._asked_at is None:
            self._asked_at = boot_time()
        self._send(watchdog.DEADLINE, 0, moment=self._fence.deadline)

    def look(self) -> None:
        """Replace a watchdog that does not answer: it was stopped, or the machine is overloaded."""
        self._hear()
        if self._watchdog and self._asked_at is not None and boot_time() - self._asked_at > DEAF_SECONDS:
            self._listener.log_event("watchdog_deaf", pid=self._watchdog.pid)
            self._watchdog.kill()

    async def close(self) -> None:
        """End the watchdog: it exits when the socket closes, and kills the processes that are left."""
        if self._timer:
            self._timer.cancel()
        if self._watchdog is None:
            return
        loop = asyncio.get_running_loop()
        gone = loop.create_future()
        loop.remove_reader(self._watchdog.handle)
        loop.add_reader(self._watchdog.handle, lambda: gone.done() or gone.set_result(None))
        self._hang_up()
        with suppress(TimeoutError):
            await asyncio.wait_for(gone, 1)
        loop.remove_reader(self._watchdog.handle)
        self._watchdog.reap()
        self._watchdog = None

    def _hear(self) -> None:
        """Read which processes it killed, and its answers."""
        while (record := self._record()) is not None:
            kind, pid, _ = RECORD.unpack(record)
            if kind == watchdog.KILLED:
                self._killed.add(pid)
            else:
                self._asked_at = None

    def _record(self) -> bytes | None:
        if self._socket is None:
            return None
        try:
            record = self._socket.recv(RECORD.size)
        except (BlockingIOError, InterruptedError):
            return None
        except OSError:
            record = b""
        if len(record) < RECORD.size:
            self._hang_up()
            return None
        return record

    def _on_died(self) -> None:
        if self._watchdog is None:
            return
        asyncio.get_running_loop().remove_reader(self._watchdog.handle)
        self._hear()
        self._hang_up()
        pid, self._watchdog, how = self._watchdog.pid, None, self._watchdog.reap()
        self._listener.log_event("watchdog_died", pid=pid, how=how)
        if boot_time() - self._started_at >= LIVED_SECONDS:
            self._restart()
        else:
            self._later()

    def _restart(self) -> None:
        """Start a new watchdog. If that fails, try again later."""
        try:
            self.start()
        except OSError as error:
            self._listener.log_event("watchdog_failed", error=str(error))
            self._later()
        else:
            self._listener.on_freed()

    def _later(self) -> None:
        self._backoff.record_death(boot_time() - self._started_at)
        self._timer = asyncio.get_running_loop().call_later(self._backoff.delay(), self._restart)

    def _hang_up(self) -> None:
        if self._socket is not None:
            asyncio.get_running_loop().remove_reader(self._socket)
            self._socket.close()
            self._socket = None

    def _send(self, kind: bytes, pid: int, pidfd: int | None = None, moment: float = 0.0) -> None:
        """Send a record. Errors are ignored: the next watchdog gets everything."""
        if self._socket is None:
            return
        record = RECORD.pack(kind, pid, moment)
        with suppress(OSError):
            if pidfd is None:
                self._socket.send(record)
            else:
                socket.send_fds(self._socket, [record], [pidfd])
