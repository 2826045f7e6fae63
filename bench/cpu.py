"""CPU time of processes, finer than the hundredths of a second that a process table has; and who started whom."""

from __future__ import annotations

from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")


def cpu_seconds(pid: int) -> float:
    """Of all its threads. Zero for a process that has ended, and where the kernel does not tell."""
    try:
        return sum(_thread_seconds(thread) for thread in (PROC / str(pid) / "task").iterdir())
    except OSError:
        return 0.0


def family(pid: int) -> dict[int, str]:
    """A process and all its descendants, each with its command line; nobody where the kernel does not tell."""
    members: dict[int, str] = {}
    parents = _parents()
    waiting = [pid]
    while waiting:
        member = waiting.pop()
        try:
            members[member] = (
                (PROC / str(member) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            )
        except OSError:
            continue
        waiting += [child for child, parent in parents.items() if parent == member]
    return members


def _thread_seconds(thread: Path) -> float:
    try:
        return int((thread / "schedstat").read_text().split()[0]) / 1e9
    except OSError:
        return 0.0


def _parents() -> dict[int, int]:
    if not PROC.is_dir():
        return {}
    found: dict[int, int] = {}
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            try:
                found[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
    return found
