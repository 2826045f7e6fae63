"""The watchdog: a process that kills a worker's executors when the supervisor can no longer vouch for their leases.

It runs as a plain file on the standard library alone, so that it is small, and nothing but the kernel can stop it. It
holds a pidfd of each executor (a number could be somebody else's by now) and one deadline, which the supervisor moves
when leases were renewed. Past the deadline it kills all but the lasting ones, when the supervisor is gone it kills all:
the whole group of each, so that no child of a handler outlives its attempt. No code of an executor takes part, so it
does not matter what a handler does meanwhile, even in C code that holds the GIL.

The clock is BOOTTIME: a machine that slept has lost its leases too. Where there are no pidfds (macOS) a process is
known by its number alone.

    python -I -S watchdog.py DESCRIPTOR PARENT
"""

from __future__ import annotations

import math
import os
import select
import signal
import socket
import struct
import sys
import time
from contextlib import suppress

RECORD = struct.Struct("<cid")  # kind, pid, moment; of fixed size, so that a stream carries them on every system
WATCH, LASTING, FORGET, DEADLINE = b"W", b"L", b"F", b"D"  # to the watchdog; WATCH has a pidfd beside it
KILLED, HEARD = b"K", b"H"  # from it; HEARD answers a DEADLINE

_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
_WHOLE_GROUP = 4  # PIDFD_SIGNAL_PROCESS_GROUP, Linux 6.9
_LOOK_SECONDS = 0.25  # poll's own clock stands still while the machine sleeps


def boot_time() -> float:
    """Seconds on the clock of all leases: it never goes back, and goes on while the machine sleeps."""
    return time.clock_gettime(_CLOCK)


def kill_group(pid: int, pidfd: int | None) -> None:
    """Kill a session leader and what it started. By its number only before it is reaped, or on an older kernel."""
    with suppress(ProcessLookupError, PermissionError):
        if pidfd is None or not _kill_by_descriptor(pidfd):
            os.killpg(pid, signal.SIGKILL)


def _kill_by_descriptor(pidfd: int) -> bool:
    """Whether the kernel can do that for a group."""
    try:
        signal.pidfd_send_signal(pidfd, signal.SIGKILL, None, _WHOLE_GROUP)
    except ProcessLookupError:
        raise
    except OSError:
        return False
    return True


class Watchdog:
    """The processes that are watched, those of them that may go on without contact, and the deadline."""

    def __init__(self, sock: socket.socket, parent: int) -> None:
        self._socket = sock
        self._deadline = math.inf
        self._watched: dict[int, int | None] = {}
        self._lasting: set[int] = set()
        self._poll = select.poll()
        self._poll.register(sock, select.POLLIN)
        if hasattr(os, "pidfd_open"):
            self._poll.register(
                os.pidfd_open(parent), select.POLLIN
            )  # a fork of the supervisor may hold the socket open

    def run(self) -> None:
        """Watch until the supervisor is gone."""
        while True:
            if boot_time() >= self._deadline:
                self._deadline = math.inf
                self._kill(self._watched.keys() - self._lasting)
            for descriptor, _ in self._poll.poll(self._pause()):
                if descriptor != self._socket.fileno() or not self._hear():
                    return self._kill(set(self._watched))

    def _pause(self) -> float | None:
        left = self._deadline - boot_time()
        return None if left == math.inf else max(0.0, min(left, _LOOK_SECONDS)) * 1000 + 1

    def _hear(self) -> bool:
        """One record; false when the supervisor has closed the socket."""
        try:
            record, pidfds, _, _ = socket.recv_fds(self._socket, RECORD.size, 1, socket.MSG_WAITALL)
        except ConnectionError:
            return False
        if len(record) < RECORD.size:
            return False
        kind, pid, moment = RECORD.unpack(record)
        self._obey(kind, pid, moment, pidfds[0] if pidfds else None)
        return True

    def _obey(self, kind: bytes, pid: int, moment: float, pidfd: int | None) -> None:
        if kind == WATCH:
            self._watched[pid] = pidfd
        elif kind == LASTING:
            self._lasting.add(pid)
        elif kind == FORGET:
            self._forget(pid)
        elif kind == DEADLINE:
            self._deadline = moment
            self._say(HEARD, 0, moment)

    def _forget(self, pid: int) -> None:
        self._lasting.discard(pid)
        if (pidfd := self._watched.pop(pid, None)) is not None:
            os.close(pidfd)

    def _kill(self, pids: set[int]) -> None:
        """Kill these. The supervisor is told before, so that it knows the cause when it sees the death."""
        for pid in pids:
            self._say(KILLED, pid, boot_time())
            kill_group(pid, self._watched[pid])

    def _say(self, kind: bytes, pid: int, moment: float) -> None:
        """Send without waiting: a supervisor that is stopped does not read."""
        with suppress(OSError):
            self._socket.send(RECORD.pack(kind, pid, moment), socket.MSG_DONTWAIT)


def main(descriptor: int, parent: int) -> None:
    """Run until the supervisor ends. Signals of a terminal or a service manager are left to the supervisor."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    if os.getppid() == parent:
        Watchdog(socket.socket(fileno=descriptor), parent).run()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
