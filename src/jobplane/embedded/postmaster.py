"""The running server: found by its lock file, started apart from us, stopped by a signal."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from jobplane.core.errors import StoreUnavailable
from jobplane.embedded.account import Account
from jobplane.embedded.cluster_place import ClusterPlace
from jobplane.embedded.errors import EmbeddedError, failure
from jobplane.embedded.processes import find_process

LOCK_FILE = "postmaster.pid"
PAUSE_SECONDS = 0.02
KEPT_LOGS = 10

# The shell ends at once, so that the server is nobody's child: it outlives its launcher and leaves it no zombie.
DETACH = 'mkdir -p "$1/log" && { place=$1; shift; "$@" </dev/null >"$place/log/start.log" 2>&1 & echo $!; }'


@dataclass(frozen=True, slots=True)
class Postmaster:
    """What the lock file says about a server that is alive."""

    pid: int
    port: int
    socket_dir: Path
    status: str

    @property
    def socket(self) -> Path:
        return self.socket_dir / f".s.PGSQL.{self.port}"

    @property
    def is_cut_off(self) -> bool:
        """Whether someone has cleaned its socket away, so that nobody can connect any more."""
        return self.status == "ready" and not self.socket.exists()

    @property
    def takes_connections(self) -> bool:
        with socket.socket(socket.AF_UNIX) as probe, suppress(OSError):
            probe.settimeout(5)
            probe.connect(str(self.socket))
            return self.status == "ready"
        return False


@dataclass(frozen=True, slots=True)
class Watch:
    """Looks for the server of one directory."""

    data_dir: Path
    account: Account
    cluster_name: str

    def find(self) -> Postmaster | None:
        """The live server; a lock file left by a dead one, or naming a stranger's process, counts for nothing."""
        try:
            lines = (self.data_dir / LOCK_FILE).read_text().splitlines()
        except FileNotFoundError:
            return None
        pid = int(lines[0]) if lines and lines[0].isdecimal() else 0
        if not self._serves(pid):
            return None
        lines += [""] * (8 - len(lines))
        return Postmaster(pid, int(lines[3] or 0), Path(lines[4]), lines[7].strip())

    def wait(self, pid: int, timeout_seconds: float) -> Postmaster | None:
        """The server once it takes connections, or nothing if the process ends instead."""
        deadline = time.monotonic() + timeout_seconds
        while find_process(pid):
            running = self.find()
            if running and running.takes_connections:
                return running
            if time.monotonic() > deadline:
                message = f"The server (process {pid}) is not ready yet. See {self.data_dir}/log, and try again."
                raise EmbeddedError(message, pid=pid)
            time.sleep(PAUSE_SECONDS)
        return None

    def _serves(self, pid: int) -> bool:
        process = find_process(pid) if pid > 1 else None
        if process is None or process.uid != self.account.uid or process.program not in ("postgres", "postmaster"):
            return False
        if f"cluster_name={self.cluster_name}" in process.arguments:
            return True
        if self._is_at(process.directory):
            message = f"A server that jobplane did not start (process {pid}) runs on {self.data_dir}. Stop it first."
            raise StoreUnavailable(message, pid=pid)
        return False

    def _is_at(self, directory: Path) -> bool:
        with suppress(OSError):
            return directory.samefile(self.data_dir)
        return False


def start(command: Sequence[str], place: ClusterPlace, watch: Watch, timeout_seconds: float) -> Postmaster:
    """Start and wait until it takes connections. The caller has made sure that no other lives."""
    with suppress(FileNotFoundError):
        _prune_logs(place.path / "log")
    done = place.run(["/bin/sh", "-c", DETACH, "sh", place.name, *command])
    running = watch.wait(int(done.stdout), timeout_seconds) if done.returncode == 0 else None
    if running is None:
        raise failure(f"The embedded server in {place.path} did not start", done.stderr + _last_words(place.path))
    return running


def stop(running: Postmaster, timeout_seconds: float) -> None:
    """End it, open connections or not, with all data on disk; one that is too slow is cut off, and recovers later."""
    for order in (signal.SIGINT, signal.SIGQUIT):
        with suppress(ProcessLookupError):
            os.kill(running.pid, order)
        deadline = time.monotonic() + timeout_seconds
        while find_process(running.pid) and time.monotonic() < deadline:
            time.sleep(PAUSE_SECONDS)
        if not find_process(running.pid):
            break
    else:
        raise EmbeddedError(
            f"The embedded server (process {running.pid}) does not stop. See its log, or end the process.",
            pid=running.pid,
        )
    with suppress(OSError):
        running.socket_dir.rmdir()


def _prune_logs(directory: Path) -> None:
    """Through a descriptor, never through a link: the directory belongs to a user whom root need not trust."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        with os.scandir(descriptor) as entries:
            logs = sorted(entry.name for entry in entries if entry.name.startswith("server-"))
        for name in logs[: 1 - KEPT_LOGS]:
            os.unlink(name, dir_fd=descriptor)
    finally:
        os.close(descriptor)


def _last_words(data_dir: Path) -> str:
    logs = sorted((data_dir / "log").glob("*.log"), key=lambda path: path.stat().st_mtime)
    return "\n".join(path.read_text(errors="replace").strip()[-1000:] for path in logs[-2:])
