"""The launcher: a small process with one thread, which forks a keeper for each command of a worker.

It is the parent of all that a killed keeper leaves behind, and kills that. Past the deadline of the worker's leases, or
when the supervisor is gone, it kills keepers that do not end their commands themselves.

    python -P -m jobplane.worker.commands.launcher SOCKET DEADLINE PARENT
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from typing import Final, NoReturn, cast

from jobplane.worker.commands import kernel
from jobplane.worker.commands.descendants import Hunt, read_state
from jobplane.worker.commands.directories import LauncherDirectory, remove_tree
from jobplane.worker.commands.keeper import LOOK_SECONDS, keep
from jobplane.worker.commands.protocol import FORKED, GONE, KILL, PING, PONG, RECORD, REFUSED, RUN, Place
from jobplane.worker.commands.shared_deadline import ReadDeadline
from jobplane.worker.commands.wakeup import Wakeup
from jobplane.worker.watchdog import boot_time

LATE_SECONDS: Final = 0.3  # past the deadline: a keeper that goes on is stopped, and is killed
SPARE_SECONDS: Final = 2.0  # beyond its grace time, for a keeper whose supervisor is gone
INSPECT_SECONDS: Final = 1.0
_HUNT_SECONDS: Final = 0.01
_BROKEN: Final = 70


@dataclass(slots=True)
class Kept:
    """A command and its keeper. `kill_at` is when the keeper is killed at the latest."""

    number: int
    place: Place
    kill_at: float = inf


class LauncherProcess:
    """Runs until the supervisor is gone, and with it all commands."""

    def __init__(self, sock: socket.socket, deadline: ReadDeadline, parent: int) -> None:
        self._socket = sock
        self._deadline = deadline
        self._wakeup = Wakeup((signal.SIGTERM, signal.SIGCHLD))
        self._keepers: dict[int, Kept] = {}
        self._sweepers: set[int] = set()  # forks that remove directories
        self._dead: list[tuple[Kept, int]] = []  # keepers that died without a report, and their wait status
        self._hunt = Hunt()
        self._places: dict[str, LauncherDirectory] = {}
        self._unsent = bytearray()
        self._is_ending = False
        self._inspect_at = 0.0
        self._poll = select.poll()
        self._poll.register(sock, select.POLLIN)
        self._poll.register(self._wakeup.descriptor, select.POLLIN)
        self._parent = _watch(parent)
        if self._parent is not None:
            self._poll.register(self._parent, select.POLLIN)

    def run(self) -> None:
        """Run until the supervisor is gone and all commands have ended."""
        while not self._is_ending or self._keepers or self._dead or self._sweepers:
            for descriptor, _ in self._poll.poll(self._pause() * 1000):
                if descriptor == self._wakeup.descriptor:
                    self._wakeup.read()
                elif descriptor != self._socket.fileno() or not self._hear():
                    self._end()
            self._reap()
            self._look()
            self._clean_up()
            self._flush()
        for directory in self._places.values():
            directory.close()

    def _pause(self) -> float:
        if self._dead:
            return _HUNT_SECONDS
        if not self._keepers:
            return LOOK_SECONDS * 4
        moments = (self._deadline.moment + LATE_SECONDS, *(kept.kill_at for kept in self._keepers.values()))
        return max(0.0, min(LOOK_SECONDS, min(moments) - boot_time()))

    # What the supervisor says.

    def _hear(self) -> bool:
        """Read one record. False when the supervisor has closed the socket."""
        try:
            record, descriptors, _, _ = socket.recv_fds(self._socket, RECORD.size, 2, socket.MSG_WAITALL)
            if len(record) < RECORD.size:
                return False
            kind, number, _, length = RECORD.unpack(record)
            body = self._socket.recv(length, socket.MSG_WAITALL) if length else b""
        except OSError:
            return False
        if len(body) < length:
            return False
        if kind == RUN:
            self._run(number, cast("Place", json.loads(body)), *descriptors)
        elif kind == KILL:
            self._kill(number)
        elif kind == PING:
            self._say(PONG)
        return True

    def _run(self, number: int, place: Place, keeper: int, executable: int) -> None:
        """Fork a keeper."""
        directory = self._find_place(place["work_dir"])
        sock = socket.socket(fileno=keeper)
        launcher = os.getpid()
        try:
            pid = self._fork(lambda: keep(sock, executable, directory, self._deadline, launcher))
        except OSError as error:
            self._say(REFUSED, number, error.errno or 0)
        else:
            self._keepers[pid] = Kept(number, place)
            self._say(FORKED, number, pid)
        sock.close()
        os.close(executable)

    def _find_place(self, parent: str) -> int | OSError:
        """Our directory in this parent. Made again where somebody has removed it."""
        known = self._places.get(parent)
        if known is None or not known.is_there:
            try:
                known = self._places[parent] = LauncherDirectory(parent)
                self._sweepers.add(self._fork(known.remove_left_behind))
            except OSError as error:
                return error
        return known.descriptor

    def _kill(self, number: int) -> None:
        for pid, kept in self._keepers.items():
            if kept.number == number:
                os.kill(pid, signal.SIGKILL)  # it is not reaped yet, so the number is its own

    def _end(self) -> None:
        """The supervisor is gone. Its keepers see that themselves, unless they are stopped."""
        if self._is_ending:
            return
        self._is_ending = True
        for descriptor in (self._socket.fileno(), self._parent):
            if descriptor is not None:
                self._poll.unregister(descriptor)
        for pid, kept in self._keepers.items():
            kept.kill_at = boot_time() + kept.place["grace_seconds"] + SPARE_SECONDS
            os.kill(pid, signal.SIGCONT)

    # What becomes of the keepers.

    def _fork(self, work: Callable[[], object]) -> int:
        """Run this in a fork, which exits afterwards."""
        pid = os.fork()
        if pid == 0:
            self._work(work)
        return pid

    def _work(self, work: Callable[[], object]) -> NoReturn:
        code = _BROKEN
        try:
            self._socket.close()
            self._wakeup.close()
            work()
            code = 0
        except BaseException:  # noqa: BLE001 a fork must never return into the launcher's loop
            traceback.print_exc()
        os._exit(code)

    def _reap(self) -> None:
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                self._on_ended(pid, status)

    def _on_ended(self, pid: int, status: int) -> None:
        self._sweepers.discard(pid)
        if (kept := self._keepers.pop(pid, None)) is None:
            return
        if status == 0:
            self._say(GONE, kept.number, status)
        else:
            self._dead.append((kept, status))

    def _look(self) -> None:
        """Kill the keepers that have not ended in time, and let those go on that somebody has stopped."""
        now = boot_time()
        is_late = now >= self._deadline.moment + LATE_SECONDS
        is_inspection = now >= self._inspect_at
        for pid, kept in self._keepers.items():
            if is_late or now >= kept.kill_at:
                os.kill(pid, signal.SIGKILL)
            elif is_inspection and read_state(pid) == "T":
                os.kill(pid, signal.SIGCONT)
        if is_inspection:
            self._inspect_at = now + INSPECT_SECONDS

    def _clean_up(self) -> None:
        """Kill what dead keepers have left. Then the supervisor hears that they are gone."""
        if not self._dead or self._hunt.run_round(self._keepers.keys() | self._sweepers):
            return
        killed, self._hunt = len(self._hunt.killed), Hunt()
        dead, self._dead = self._dead, []
        for kept, status in dead:
            self._remove(kept.place)
            self._say(GONE, kept.number, status, killed)

    def _remove(self, place: Place) -> None:
        """Remove the working directory of a command in a fork: it may have a million files."""
        directory = self._places.get(place["work_dir"])
        if directory is not None:
            with suppress(OSError):
                self._sweepers.add(self._fork(lambda: _try_to_remove(directory.descriptor, place["name"])))

    def _say(self, kind: bytes, number: int = 0, value: int = 0, count: int = 0) -> None:
        self._unsent += RECORD.pack(kind, number, value, count)
        self._flush()

    def _flush(self) -> None:
        """Send without waiting: a supervisor that is stopped does not read."""
        with suppress(BlockingIOError):
            try:
                while self._unsent:
                    del self._unsent[: self._socket.send(self._unsent, socket.MSG_DONTWAIT)]
            except ConnectionError:
                self._unsent.clear()


def _try_to_remove(place: int, name: str) -> None:
    with suppress(OSError):  # also where the keeper had not made it yet; a later launcher removes the rest
        remove_tree(place, name)


def _watch(pid: int) -> int | None:
    """A descriptor that is readable when the process has ended. None on systems without pidfds."""
    return os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None


def main(sock: int, deadline: int, parent: int) -> None:
    """Run until the supervisor ends. Signals of a terminal or a service manager are left to the supervisor."""
    kernel.adopt_descendants()
    launcher = LauncherProcess(socket.socket(fileno=sock), ReadDeadline(deadline), parent)
    if os.getppid() == parent:
        gc.freeze()  # forks share these pages
        launcher.run()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
