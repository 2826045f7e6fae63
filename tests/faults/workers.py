"""Real `jobplane worker` processes, and what can be done to them."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, Self

from tests.faults.recorder import Recorder
from tests.faults.waiting import PATIENCE, until

ROOT: Final = Path(__file__).parents[2]
LEASE_SECONDS: Final = 5
GRACE_SECONDS: Final = 5
SETTINGS: Final = {
    "JOBPLANE_LEASE_SECONDS": str(LEASE_SECONDS),
    "JOBPLANE_GRACE_SECONDS": str(GRACE_SECONDS),
    "JOBPLANE_POLL_SECONDS": "0.5",
    "JOBPLANE_LOG_FORMAT": "json",
    "JOBPLANE_WORKER_IMPORTS": "tests.faults.handlers",
    "JOBPLANE_WORKER_PROCESSES": "1",
}


class WorkerProcess:
    """A supervisor with its executors and its watchdog. What is done to it is written down as a fault."""

    def __init__(self, recorder: Recorder, log: Path, environment: Mapping[str, str]) -> None:
        self._recorder = recorder
        self._log = log
        self._was_told = False
        self.was_killed = False
        command = [sys.executable, "-m", "jobplane.cli.main", "worker"]
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env={**os.environ, **SETTINGS, **environment}, stdout=output, stderr=output
            )
        self.pid = self.process.pid

    @property
    def worker_id(self) -> str:
        """Its name in the database; known once it is ready."""
        [line] = [line for line in self.log().splitlines() if '"worker_started"' in line]
        return json.loads(line)["worker_id"]

    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def kill(self) -> None:
        """End it without a word: SIGKILL for the supervisor, whose executors follow."""
        executors = self.executors()
        self._recorder.note("broken", name=f"killed {self.pid}", boss=self.pid)
        self.was_killed = True
        self.process.kill()
        self.process.wait()
        until(lambda: not any(map(is_alive, executors)), PATIENCE, "the end of its executors")
        self._recorder.note("mended", name=f"killed {self.pid}")  # until then a job could begin that it struck

    def kill_executor(self) -> None:
        """SIGKILL for one process that runs handlers."""
        pid = self.executors()[0]
        self._recorder.note("broken", name=f"executor {pid} killed", pid=pid)
        os.kill(pid, signal.SIGKILL)
        until(lambda: not is_alive(pid), PATIENCE, "its end")
        self._recorder.note("mended", name=f"executor {pid} killed")

    def freeze(self) -> None:
        """SIGSTOP for the supervisor; its executors and its watchdog go on."""
        self._recorder.note("broken", name=f"stopped {self.pid}", boss=self.pid)
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.process.send_signal(signal.SIGCONT)
        self._recorder.note("mended", name=f"stopped {self.pid}")

    def ask_to_stop(self) -> None:
        """SIGTERM, as a deploy does."""
        self._recorder.note("broken", name=f"deployed {self.pid}", boss=self.pid)
        self.process.terminate()

    def stopped(self, seconds: float) -> int:
        """How it ended, and that it did in time."""
        code = self.process.wait(seconds)
        self._recorder.note("mended", name=f"deployed {self.pid}")
        return code

    def executors(self) -> list[int]:
        """The live processes that run, or could run, handlers."""
        return [pid for pid in children(self.pid) if "jobplane.worker.executor" in command_line(pid)]

    def terminate(self) -> None:
        """The end of the test, whatever state it is in; said once, for the second time means now."""
        if self.process.poll() is None and not self._was_told:
            self._was_told = True
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()

    def end(self) -> None:
        self.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def left_well(self) -> bool:
        """With 0, unless it was killed, or told to stop before it had begun."""
        return self.was_killed or self.process.returncode == 0 or not self.log()

    def is_ready(self) -> bool:
        assert self.process.poll() is None, f"the worker has left with {self.process.returncode}:\n{self.log()[-4000:]}"
        return "worker_started" in self.log()


class Vigil:
    """Waits at the side of processes until they have ended; a look again and again would see it too late."""

    def __init__(self, pids: Iterable[int]) -> None:
        self._pidfds = [os.pidfd_open(pid) for pid in pids]
        self._began = time.monotonic()
        self.seconds = 0.0
        self.ended_at = 0.0  # seconds since 1970

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for pidfd in self._pidfds:
            os.close(pidfd)

    def wait(self) -> None:
        for pidfd in self._pidfds:
            assert select.select([pidfd], [], [], PATIENCE)[0], "a process that should be dead goes on"
        self.ended_at = time.time()
        self.seconds = time.monotonic() - self._began


def children(pid: int) -> list[int]:
    """The children of a process, those of all its threads."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += map(int, task.read_text().split())
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def is_alive(pid: int) -> bool:
    """Whether it runs; a zombie does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"
