"""Find and kill all that a process has started.

A subreaper is the parent of every descendant whose own parent has ended, whatever session or group that is in. So none
is left exactly when `wait` finds no child, and all are found by their parents.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Container, Iterable
from contextlib import suppress
from typing import Final

_SWEEPS: Final = 50  # of stopping, in one round
_STATE: Final = -50  # fields of /proc/<pid>/stat after the name: state, parent


def list_children(pid: int) -> list[int]:
    """Its children, also those that have ended and wait to be reaped."""
    found: list[int] = []
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 it runs for every process of a fork bomb
            with suppress(OSError):
                found += map(int, _read(f"/proc/{pid}/task/{task}/children").split())
    return found


def list_descendants(pid: int, spared: Container[int] = ()) -> list[int]:
    """All that it started, parents before children; `spared` are left out with all that they started."""
    found: list[int] = []
    parents = [pid]
    while parents:
        parents = [child for parent in parents for child in list_children(parent) if child not in spared]
        found += parents
    return found


def ask_to_end(leader: int | None, pids: Iterable[int]) -> None:
    """Send TERM to a process group and to each of the processes that is not in it. What is stopped goes on."""
    if leader is not None:
        with suppress(OSError):
            os.killpg(leader, signal.SIGTERM)
            os.killpg(leader, signal.SIGCONT)
    for pid in pids:
        with suppress(OSError):
            if os.getpgid(pid) != leader:
                os.kill(pid, signal.SIGTERM)
                os.kill(pid, signal.SIGCONT)


def kill_group(leader: int) -> None:
    """Kill a process group where /proc does not tell what a process has started (macOS)."""
    if sys.platform != "linux":
        with suppress(OSError):
            os.killpg(leader, signal.SIGKILL)


class Hunt:
    """Kills all descendants of this process, in rounds. The caller reaps between them."""

    def __init__(self) -> None:
        self.killed: set[int] = set()
        self.rounds = 0

    def run_round(self, spared: Container[int] = ()) -> bool:
        """Stop all, so that none forks while the others are killed, then kill all. Returns whether there were any."""
        self.rounds += 1
        found = self._stop_all(spared)
        for pid in found:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        self.killed |= found
        return bool(found)

    def _stop_all(self, spared: Container[int]) -> set[int]:
        """Sweep until no sweep finds another one: each may have forked before it was stopped."""
        found: set[int] = set()
        for _ in range(_SWEEPS):
            new = [pid for pid in list_descendants(os.getpid(), spared) if pid not in found]
            if not new:
                break
            for pid in new:
                if _is_alive(pid):
                    found.add(pid)
                    with suppress(OSError):
                        os.kill(pid, signal.SIGSTOP)
        return found


def _is_alive(pid: int) -> bool:
    """Whether it runs; not if it has ended and waits to be reaped."""
    return read_state(pid) not in ("", "Z", "X", "x")


def read_state(pid: int) -> str:
    """Its state as one letter of /proc; T where a signal has stopped it. Empty where there is no such process."""
    try:
        return _read(f"/proc/{pid}/stat").rpartition(") ")[2][:1]
    except OSError:
        return ""


def _read(path: str) -> str:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        parts: list[bytes] = []
        while part := os.read(descriptor, 1 << 16):
            parts.append(part)
        return b"".join(parts).decode("ascii", "replace")
    finally:
        os.close(descriptor)
