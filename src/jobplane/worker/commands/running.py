"""One command, seen from the supervisor."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol, cast

import orjson

from jobplane.worker.channel import Channel
from jobplane.worker.child_process import describe_exit
from jobplane.worker.commands.protocol import Order, Report, make_report
from jobplane.worker.frames import Broken, Kind, LogRow, StopReason, frame, json_frame


class CommandListener(Protocol):
    """Listens to a command. Called on the event loop, `on_ended` exactly once and last. Must not raise."""

    def on_started(self, pid: int) -> None: ...

    def on_lines(self, rows: list[LogRow]) -> None:
        """Lines of its log. Call `RunningCommand.credit` with their `log_bytes` once they are stored."""
        ...

    def on_progress(self, share: float | None, message: str | None) -> None: ...

    def on_ended(self, report: Report | None, how: str) -> None:
        """All its processes are gone. Without a report the keeper died; `how` is for people."""
        ...


class RunningCommand:
    """Exists from its order to its end. `keeper_pid` is None until the launcher has forked the keeper.

    A keeper that dies without a report has ended when the launcher has killed what it left.
    """

    def __init__(
        self,
        order: Order,
        sock: socket.socket,
        listener: CommandListener,
        kill: Callable[[], None],
        let_go: Callable[[], object],
    ) -> None:
        self.keeper_pid: int | None = None
        self._listener = listener
        self._kill = kill
        self._let_go = let_go
        self._socket = sock
        self._is_over = False
        self._is_lost = False  # the keeper has closed its socket
        self._is_alone = False  # the launcher is dead
        self._fault: str | None = None
        self._channel = Channel(sock, self._hear, self._on_lost)
        self._channel.send(frame(Kind.SETUP, json.dumps(order).encode()))  # it has undecodable bytes as surrogates

    def stop(self, why: StopReason) -> None:
        """Ask the command to end: TERM, then KILL after its grace time, much sooner if its lease is gone."""
        self._channel.send(json_frame(Kind.STOP, why))

    def follow(self) -> None:
        """Somebody reads its log now: for a few seconds lines come at once."""
        self._channel.send(frame(Kind.FOLLOW))

    def credit(self, size: int) -> None:
        """So many bytes of its log are stored."""
        self._channel.send(json_frame(Kind.CREDIT, size))

    def kill(self) -> None:
        """Kill the keeper. The launcher kills the command and all its descendants."""
        if self._is_over:
            return
        if self._is_alone:
            self._signal(signal.SIGKILL)
        else:
            self._kill()

    # What the launcher tells of it.

    def on_refused(self, error: int) -> None:
        self._end(make_report("spawn", f"No process could be started: {os.strerror(error)}."), "not started")

    def on_gone(self, status: int, killed: int) -> None:
        """The keeper has ended, and all that it left is dead."""
        self._channel.drain()
        how = self._fault or describe_exit(os.waitstatus_to_exitcode(status))
        self._end(None, f"{how}; {killed} processes of the command were killed" if killed else how)

    def on_launcher_died(self) -> None:
        """The keeper ends its command, and reports it. A keeper that is stopped must go on for that."""
        self._is_alone = True
        self._channel.drain()
        if self._is_lost:
            self._end_alone()
        else:
            self._signal(signal.SIGCONT)

    def abandon(self) -> None:
        """Report the end of a command whose keeper cannot be killed."""
        self._end(None, "The keeper could not be killed")

    def _signal(self, number: signal.Signals) -> None:
        """Signal a keeper whose launcher is dead. It has its pid as long as its socket is open."""
        with suppress(OSError):
            if self.keeper_pid is not None and not self._is_lost and not _is_closed(self._socket):
                os.kill(self.keeper_pid, number)

    def _on_lost(self, fault: str | None) -> None:
        self._is_lost = True
        if fault is not None:
            self._fault = fault
            self.kill()
        if self._is_alone:
            self._end_alone()

    def _end_alone(self) -> None:
        if self.keeper_pid is None:
            self._end(make_report("shutdown"), "The launcher ended before it started the command")
        else:
            self._end(None, "The launcher and the keeper ended")

    def _hear(self, kind: Kind, body: bytes) -> None:
        told = orjson.loads(body)
        match kind:
            case Kind.READY:
                self._listener.on_started(int(told))
            case Kind.LOGS:
                self._listener.on_lines([cast("LogRow", tuple(row)) for row in told])
            case Kind.SHARE:
                self._listener.on_progress(*told)
            case Kind.ENDED:
                report = cast("Report", told)
                self._end(report, _describe(report))
            case _:
                raise Broken(f"a keeper does not send {kind.name}")

    def _end(self, report: Report | None, how: str) -> None:
        if self._is_over:
            return
        self._is_over = True
        self._channel.close()
        self._let_go()
        self._listener.on_ended(report, how)


def _describe(report: Report) -> str:
    if report["signal"] is not None:
        return describe_exit(-report["signal"])
    return report["error"] or describe_exit(report["exit_code"] or 0)


def _is_closed(sock: socket.socket) -> bool:
    """Whether the other end is closed and everything from it has been read."""
    try:
        return sock.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
