"""The keeper: one process for each command. It starts the command, reads its output, and leaves no process of it."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import socket
import time
from contextlib import suppress
from math import inf
from typing import Final

from jobplane.core.masking import Masker
from jobplane.worker.commands import kernel
from jobplane.worker.commands.descendants import Hunt, ask_to_end, kill_group, list_descendants
from jobplane.worker.commands.directories import make_directory, remove_tree
from jobplane.worker.commands.journal import Journal
from jobplane.worker.commands.output import StreamOutput
from jobplane.worker.commands.protocol import Cause, Order, Report, make_report
from jobplane.worker.commands.results import find_result
from jobplane.worker.commands.sayings import Sayings
from jobplane.worker.commands.shared_deadline import ReadDeadline
from jobplane.worker.commands.starting import Started, start_command
from jobplane.worker.commands.wakeup import Wakeup
from jobplane.worker.commands.wire import Wire
from jobplane.worker.frames import Kind, LogRow, frame, json_frame
from jobplane.worker.watchdog import boot_time

LOOK_SECONDS: Final = 0.25  # poll's own clock stands still while the machine sleeps
GONE_SECONDS: Final = 1.0  # the longest grace time of a command whose lease is gone: another worker may run it already
PROGRESS_SECONDS: Final = 0.25
_HUNT_SECONDS: Final = 0.005  # between two rounds of killing at first; twice as long after each
_CHUNK: Final = 1 << 16
_LAST_READS: Final = 64  # of each stream after the end; a pipe has 1 MiB at most unless root makes it larger


def keep(sock: socket.socket, executable: int, place: int | OSError, deadline: ReadDeadline, launcher: int) -> None:
    """Run one command and report its end. To be called in a fork of the launcher, which calls `os._exit` afterwards.

    `place` is the launcher's directory, or the reason why there is none.
    """
    os.setsid()  # the supervisor kills the group of a launcher that has died
    kernel.adopt_descendants()
    kernel.die_with_parent(signal.SIGTERM)
    wakeup = Wakeup((signal.SIGTERM, signal.SIGCHLD))
    wire = Wire(sock)
    order = wire.receive_order()
    if order is None:
        return
    try:
        directory = _make_directory(order, place)
        started = start_command(order, executable, directory)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        _report(wire, order, make_report("spawn", f"The command could not be started: {reason}."))
    else:
        keeper = Keeper(wire, wakeup, order, started, deadline, launcher)
        keeper.run()
        _report(wire, order, keeper.report(directory))
        os.close(directory)
    if isinstance(place, int):
        with suppress(OSError):  # the launcher tries again later
            remove_tree(place, order["name"])


def _make_directory(order: Order, place: int | OSError) -> int:
    if isinstance(place, OSError):
        raise place
    uid, gid = order["uid"], order["gid"]
    owner = (uid, gid) if uid is not None and gid is not None and os.geteuid() == 0 else None
    files = {name: content.encode("utf-8", "surrogateescape") for name, content in order["files"].items()}
    return make_directory(place, order["name"], files, owner)


def _report(wire: Wire, order: Order, report: Report) -> None:
    if report["error"] is not None:
        error = Masker(order["masks"]).mask(report["error"])
        report["error"] = error.encode("utf-8", "replace").decode()
    wire.send(frame(Kind.ENDED, json.dumps(report).encode()))
    wire.finish()


class Keeper:
    """A command that was forked, until none of its processes is left."""

    def __init__(
        self, wire: Wire, wakeup: Wakeup, order: Order, started: Started, deadline: ReadDeadline, launcher: int
    ) -> None:
        self._wire = wire
        self._wakeup = wakeup
        self._order = order
        self._started = started
        self._deadline = deadline
        self._launcher = launcher
        self._journal = Journal(order["seq"], self._send_lines)
        self._sayings = Sayings()
        self._stdout = StreamOutput("info", order["masks"], self._journal, self._sayings)
        self._stderr = StreamOutput("warning", order["masks"], self._journal, None)
        self._streams = {started.stdout: self._stdout, started.stderr: self._stderr}
        self._fault: bytes | None = b""  # None: its program runs
        self._cause: Cause | None = None
        self._status: int | None = None
        self._is_childless = False
        self._was_told_to_end = False
        self._hunt = Hunt()
        timeout = order["timeout_seconds"]
        self._timeout_at = inf if timeout is None else boot_time() + timeout
        self._kill_at = inf
        self._progress_at = 0.0
        self._poll = select.poll()
        for descriptor in (*started[1:], wakeup.descriptor):
            self._poll.register(descriptor, select.POLLIN)

    def run(self) -> None:
        """Return when all processes of the command are gone."""
        self._poll.register(self._wire, self._wire.events)
        self._obey()  # what came in one piece with the order
        while not self._is_childless:
            self._wait()
            self._reap()
            self._look()
        for descriptor in list(self._streams):
            self._read_rest(descriptor)
        self._stdout.finish()
        self._stderr.finish()
        self._send_progress()
        self._journal.close()

    def report(self, directory: int) -> Report:
        """Make the report of its end. `directory` may have its result."""
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        code = None if self._status is None else os.waitstatus_to_exitcode(self._status)
        report = make_report(self._cause or "exit")
        if self._fault:
            report["cause"], report["error"] = "spawn", _read_fault(self._fault)
            return report
        if report["cause"] == "exit":
            report["result"], report["result_fault"] = find_result(
                directory, self._sayings, Masker(self._order["masks"])
            )
        if report["cause"] == "exit" and self._was_told_to_end and code != 0:
            report["cause"] = "shutdown"
        report["pid"] = self._started.pid
        report["exit_code"] = code if code is None or code >= 0 else None
        report["signal"] = -code if code is not None and code < 0 else None
        report["stdout_tail"], report["stdout_bytes"] = self._stdout.tail, self._stdout.length
        report["stderr_tail"], report["stderr_bytes"] = self._stderr.tail, self._stderr.length
        report["lines_dropped"], report["bytes_dropped"] = self._journal.lines_dropped, self._journal.bytes_dropped
        report["user_ms"], report["system_ms"] = round(used.ru_utime * 1000), round(used.ru_stime * 1000)
        report["max_rss_bytes"] = used.ru_maxrss * kernel.RSS_UNIT
        report["killed"] = len(self._hunt.killed)
        return report

    def _wait(self) -> None:
        """Wait for output, frames, signals or the next moment to look, and take what has come."""
        self._poll.register(self._wire, self._wire.events) if self._wire.is_open else None
        for descriptor, _ in self._poll.poll(self._pause() * 1000):
            if descriptor in self._streams:
                self._read(descriptor)
            elif descriptor == self._started.fault:
                self._read_start()
            elif descriptor == self._wakeup.descriptor:
                self._hear_signals()
            else:
                self._obey()

    def _pause(self) -> float:
        now = boot_time()
        pause = min(LOOK_SECONDS, self._timeout_at - now, self._deadline.moment - now)
        pause = min(pause, self._journal.due_at - time.monotonic())
        if now < self._kill_at:
            pause = min(pause, self._kill_at - now)
        elif self._hunt.rounds:
            pause = _HUNT_SECONDS * 2 ** min(self._hunt.rounds, 6)
        return max(0.0, pause)

    def _obey(self) -> None:
        for kind, body in self._wire.receive():
            if kind == Kind.STOP:
                reason = json.loads(body)
                grace = self._order["grace_seconds"]
                self._stop(reason, min(grace, GONE_SECONDS) if reason == "gone" else grace)
            elif kind == Kind.CREDIT:
                self._journal.grant(json.loads(body))
            elif kind == Kind.FOLLOW:
                self._journal.follow()
        if not self._wire.is_open:
            self._poll.unregister(self._wire)

    def _hear_signals(self) -> None:
        """A service manager that ends the worker may send TERM to all processes: it ends the command, not we."""
        if signal.SIGTERM in self._wakeup.read() and os.getppid() == self._launcher:
            self._was_told_to_end = True

    def _look(self) -> None:
        """Do what is due."""
        now, grace = boot_time(), self._order["grace_seconds"]
        if now >= self._deadline.moment:
            self._stop("deadline", 0)
        if now >= self._timeout_at:
            self._timeout_at = inf
            self._stop("timeout", grace)
        if self._cause is None and not (self._wire.is_open and os.getppid() == self._launcher):
            self._stop("shutdown", grace)
        if self._status is not None and self._cause is None:
            self._cause, self._kill_at = "exit", now
        if now >= self._kill_at and not self._is_childless:
            self._hunt.run_round()
        if time.monotonic() >= self._journal.due_at:
            self._journal.flush()
        if now >= self._progress_at:
            self._send_progress()

    def _stop(self, cause: Cause, grace: float) -> None:
        """End the command. A later reason can only make it end sooner."""
        self._kill_at = min(self._kill_at, boot_time() + grace)
        if self._cause is None:
            self._cause = cause
            if self._fault is None:
                self._ask_to_end()

    def _ask_to_end(self) -> None:
        """Send TERM. Before its program runs a fork would ignore it."""
        ask_to_end(self._started.pid if self._status is None else None, list_descendants(os.getpid()))

    def _reap(self) -> None:
        """Take note of processes that have ended. The first one's group is killed before its number is free."""
        with suppress(ChildProcessError):
            while found := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                if found.si_pid == self._started.pid and self._cause is None:
                    kill_group(found.si_pid)
                pid, status = os.waitpid(found.si_pid, 0)
                if pid == self._started.pid:
                    self._status = status
            return
        self._is_childless = True

    def _read(self, descriptor: int) -> bool:
        """Read once. Returns whether there was something."""
        try:
            data = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return False
        if data:
            self._streams[descriptor].feed(data)
        else:
            self._poll.unregister(descriptor)
            os.close(descriptor)
            del self._streams[descriptor]
        return bool(data)

    def _read_rest(self, descriptor: int) -> None:
        """Read what is in the pipe. Somebody else may hold its other end."""
        for _ in range(_LAST_READS):
            if not self._read(descriptor):
                return

    def _read_start(self) -> None:
        """The end of the pipe without data: its program runs."""
        data = os.read(self._started.fault, _CHUNK)
        if data:
            self._fault = (self._fault or b"") + data
            return
        self._poll.unregister(self._started.fault)
        os.close(self._started.fault)
        if not self._fault:
            self._fault = None
            self._wire.send(json_frame(Kind.READY, self._started.pid))
            if self._cause is not None:
                self._ask_to_end()

    def _send_lines(self, rows: list[LogRow]) -> None:
        self._wire.send(json_frame(Kind.LOGS, rows))

    def _send_progress(self) -> None:
        if (progress := self._sayings.take_progress()) is not None:
            self._progress_at = boot_time() + PROGRESS_SECONDS
            self._wire.send(json_frame(Kind.SHARE, progress))


def _read_fault(fault: bytes) -> str:
    """The sentence that a fork has written before it exited."""
    try:
        _, sentence = json.loads(fault)
    except ValueError:
        return "The command could not be started."
    return str(sentence)
