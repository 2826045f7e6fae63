"""The supervisor's side of the launcher: start it, and run commands through it."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Callable
from typing import Final

import orjson

from jobplane.worker.child_process import ChildProcess
from jobplane.worker.commands.protocol import (
    FORKED,
    GONE,
    KILL,
    PING,
    PONG,
    RECORD,
    REFUSED,
    RUN,
    Order,
    Place,
)
from jobplane.worker.commands.running import CommandListener, RunningCommand
from jobplane.worker.commands.shared_deadline import SharedDeadline
from jobplane.worker.watchdog import boot_time

__all__ = ["CommandListener", "Launcher", "LauncherDown", "RunningCommand"]

MODULE: Final = "jobplane.worker.commands.launcher"
LOOK_SECONDS: Final = 1.0
DEAF_SECONDS: Final = 10.0  # a launcher that has not answered for so long is killed
LEAVING_SECONDS: Final = 5.0  # beyond the grace time of the commands, for the launcher to exit
_POLL_SECONDS: Final = 0.02
_CHUNK: Final = 1 << 16


class LauncherDown(OSError):
    """The launcher is not running. Start it again before the next command."""


class Launcher:
    """One process that forks the keepers. To be used on the event loop's thread.

    When it dies, `is_up` is false, the keepers end their commands as "shutdown", and `start` may be called again.
    """

    def __init__(self, log_event: Callable[..., None]) -> None:
        self.deadline = SharedDeadline()
        self._log_event = log_event
        self._process: ChildProcess | None = None
        self._socket: socket.socket | None = None
        self._unread = b""
        self._running: dict[int, RunningCommand] = {}
        self._number = 0
        self._is_closing = False
        self._longest_grace = 0.0
        self._asked_at: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._gone: asyncio.Future[None] | None = None

    @property
    def is_up(self) -> bool:
        """Whether commands can be run."""
        return self._socket is not None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start the process. Raises OSError."""
        ours, theirs = socket.socketpair()
        try:
            passed = theirs.fileno(), self.deadline.descriptor
            arguments = ("-P", "-m", MODULE, *map(str, passed), str(os.getpid()))
            self._process = ChildProcess(arguments, passed)
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
        ours.setblocking(False)
        self._socket, self._unread, self._asked_at = ours, b"", None
        loop = asyncio.get_running_loop()
        self._gone = loop.create_future()
        loop.add_reader(ours, self._hear)
        loop.add_reader(self._process.handle, self._on_died)
        self._timer = loop.call_later(LOOK_SECONDS, self._look)
        self._log_event("launcher_started", pid=self._process.pid)

    def run(self, order: Order, executable_fd: int, listener: CommandListener) -> RunningCommand:
        """Run a command. The caller may close its descriptor at once. Raises LauncherDown, an OSError."""
        number = self._number = self._number % 0xFFFFFFFF + 1
        place = Place(name=order["name"], work_dir=order["work_dir"], grace_seconds=order["grace_seconds"])
        ours, theirs = socket.socketpair()
        try:
            self._send(RUN, number, orjson.dumps(place), (theirs.fileno(), executable_fd))
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
        self._longest_grace = max(self._longest_grace, order["grace_seconds"])
        command = RunningCommand(
            order, ours, listener, lambda: self._kill(number), lambda: self._running.pop(number, None)
        )
        self._running[number] = command
        return command

    async def close(self) -> None:
        """End all commands as "shutdown", then the launcher. Returns when their processes are gone."""
        self._is_closing = True
        if self._timer:
            self._timer.cancel()
        for command in list(self._running.values()):
            command.stop("shutdown")
        if self._process is not None and self._gone is not None:
            self._hang_up()
            try:
                await asyncio.wait_for(asyncio.shield(self._gone), self._longest_grace + LEAVING_SECONDS)
            except TimeoutError:
                self._process.kill()
                await self._gone
        await self._wait_for_keepers()
        for command in list(self._running.values()):
            command.abandon()
        self.deadline.close()

    async def _wait_for_keepers(self) -> None:
        """Wait for the reports of keepers whose launcher was killed: they end their commands themselves."""
        until = boot_time() + self._longest_grace + LEAVING_SECONDS
        while self._running and boot_time() < until:  # noqa: ASYNC110 once, at the end of a worker
            await asyncio.sleep(_POLL_SECONDS)

    def _kill(self, number: int) -> None:
        try:
            self._send(KILL, number)
        except OSError:
            self._kill_launcher()

    def _kill_launcher(self) -> None:
        if self._process is not None:
            self._process.kill()

    def _send(self, kind: bytes, number: int = 0, body: bytes = b"", descriptors: tuple[int, ...] = ()) -> None:
        """Send a record, whole and at once."""
        record = RECORD.pack(kind, number, 0, len(body)) + body
        if self._socket is None:
            raise LauncherDown("The launcher is not running.")
        sent = socket.send_fds(self._socket, [record], descriptors) if descriptors else self._socket.send(record)
        if sent < len(record):
            self._kill_launcher()  # it does not read, and nothing after this can be understood
            raise LauncherDown("The launcher does not answer.")

    def _look(self) -> None:
        """Let a launcher go on that somebody has stopped; kill one that does not answer for long.

        Meanwhile nobody ends the commands of keepers that die.
        """
        self._timer = asyncio.get_running_loop().call_later(LOOK_SECONDS, self._look)
        self._hear()
        if self._process is None or self._socket is None:
            return
        now = boot_time()
        if self._asked_at is None:
            self._ask(now)
        elif now - self._asked_at > DEAF_SECONDS:
            self._log_event("launcher_deaf", pid=self._process.pid)
            self._kill_launcher()
        else:
            os.kill(self._process.pid, signal.SIGCONT)  # it is not reaped yet, so the number is its own

    def _ask(self, now: float) -> None:
        try:
            self._send(PING)
        except BlockingIOError:
            pass  # its socket is full
        except OSError:
            return  # it is dead, or about to be
        self._asked_at = now

    def _hear(self) -> None:
        while self._socket is not None:
            try:
                data = self._socket.recv(_CHUNK)
            except (BlockingIOError, InterruptedError):
                return
            except OSError:
                data = b""
            if data:
                self._understand(data)
            else:
                self._hang_up()

    def _understand(self, data: bytes) -> None:
        data = self._unread + data
        whole = len(data) - len(data) % RECORD.size
        self._unread = data[whole:]
        for kind, number, value, count in RECORD.iter_unpack(data[:whole]):
            self._obey(kind, number, value, count)

    def _obey(self, kind: bytes, number: int, value: int, count: int) -> None:
        command = self._running.get(number)
        if kind == PONG:
            self._asked_at = None
        elif command is None:
            return
        elif kind == FORKED:
            command.keeper_pid = value
        elif kind == GONE:
            command.on_gone(value, count)
        elif kind == REFUSED:
            command.on_refused(value)

    def _hang_up(self) -> None:
        if self._socket is not None:
            asyncio.get_running_loop().remove_reader(self._socket)
            self._socket.close()
            self._socket = None

    def _on_died(self) -> None:
        if self._process is None:
            return
        asyncio.get_running_loop().remove_reader(self._process.handle)
        self._hear()
        self._hang_up()
        pid, self._process, how = self._process.pid, None, self._process.reap()
        for command in list(self._running.values()):
            command.on_launcher_died()
        if self._gone is not None and not self._gone.done():
            self._gone.set_result(None)
        if not self._is_closing:
            self._log_event("launcher_died", pid=pid, how=how)
