"""What the operating system says about a process that a file names."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class LiveProcess:
    """A live process: whose it is, and its command line."""

    pid: int
    uid: int
    arguments: tuple[str, ...]

    @property
    def program(self) -> str:
        return Path(self.arguments[0]).name

    @property
    def directory(self) -> Path:
        """The data directory on a server's command line, as we see it."""
        named = dict(zip(self.arguments, self.arguments[1:], strict=False)).get("-D", "")
        return Path(named.replace("/proc/self/", f"/proc/{self.pid}/"))


def find_process(pid: int) -> LiveProcess | None:
    """The process; None if it has ended, even if its parent has not reaped it yet."""
    return _from_proc(pid) if Path("/proc/self").exists() else _from_ps(pid)


def _from_proc(pid: int) -> LiveProcess | None:
    directory = Path(f"/proc/{pid}")
    try:
        uid = directory.stat().st_uid
        line = (directory / "cmdline").read_bytes().rstrip(b"\0")
        state = (directory / "stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return None
    # An empty command line does not tell a zombie from a process that is just becoming another program.
    return LiveProcess(pid, uid, tuple(os.fsdecode(word) for word in line.split(b"\0"))) if state not in "ZX" else None


def _from_ps(pid: int) -> LiveProcess | None:
    command = ["/bin/ps", "-ww", "-o", "uid=,stat=,command=", "-p", str(pid)]
    words = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
    if len(words) < 3 or words[1].startswith("Z"):
        return None
    return LiveProcess(pid, int(words[0]), tuple(words[2:]))
