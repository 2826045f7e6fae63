"""Worker processes of one contender on one database: started, watched from outside, stopped."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psycopg

from bench.contenders import Contender
from bench.cpu import cpu_seconds, family
from bench.rig import Database

STOP_SECONDS: Final = 5.0
LOOK_SECONDS: Final = 0.2
IDLE_SECONDS: Final = 0.002
EXECUTOR: Final = "worker.executor"


@dataclass(frozen=True, slots=True)
class Staff:
    """The workers, where they write, and a connection that counts what they leave."""

    contender: Contender
    database: Database
    directory: Path
    workers: list[subprocess.Popen[bytes]]
    counter: psycopg.Connection[tuple[int]]

    def unfinished(self) -> int:
        """Counted in the database, so that only what is settled is done."""
        self._check()
        [(left,)] = self.counter.execute(self.contender.left.encode()).fetchall()
        return left

    async def is_whole(self) -> bool:
        """All executors are there, and one of them has nothing to do: the spare is up, too."""
        pids = [pid for worker in self.workers for pid, command in family(worker.pid).items() if EXECUTOR in command]
        if len(pids) < self.contender.executors * len(self.workers):
            return False
        before = {pid: cpu_seconds(pid) for pid in pids}
        await asyncio.sleep(LOOK_SECONDS)
        return not pids or sum(cpu_seconds(pid) - before[pid] < IDLE_SECONDS for pid in pids) >= len(self.workers)

    def cpu(self) -> dict[str, float]:
        """CPU seconds so far: of the server for this database, without our counting, and of each kind of process."""
        spent = {"server": self.database.cpu_seconds() - cpu_seconds(self.counter.info.backend_pid)}
        for worker in self.workers:
            for pid, command in family(worker.pid).items():
                part = "executors" if EXECUTOR in command else "worker" if pid == worker.pid else "others"
                spent[part] = spent.get(part, 0.0) + cpu_seconds(pid)
        return spent

    def starts(self) -> dict[int, int]:
        """When the handler of each numbered job started, on the monotonic clock."""
        lines = [line for file in (self.directory / "starts").iterdir() for line in file.read_text().splitlines()]
        return {int(number): int(at) for number, at in (line.split() for line in lines)}

    def _check(self) -> None:
        if any(worker.poll() is not None for worker in self.workers):
            logs = [log.read_text()[-2000:] for log in self.directory.glob("*.log")]
            raise RuntimeError(f"a worker of {self.contender.name} has ended by itself: {' '.join(logs)}")


@asynccontextmanager
async def staffed(
    contender: Contender, database: Database, workers: int = 1, *, stamped: bool = False
) -> AsyncGenerator[Staff]:
    """So many workers of a contender; `stamped` ones write down when each handler starts."""
    with tempfile.TemporaryDirectory(prefix="jobplane-bench-") as name, _counting(contender, database) as counter:
        starts = Path(name) / "starts"
        starts.mkdir()
        logs = [Path(name) / f"{number}.log" for number in range(workers)]
        started = [contender.worker(database, log, starts if stamped else None) for log in logs]
        try:
            yield Staff(contender, database, Path(name), started, counter)
        finally:
            await _stop(started)


def _counting(contender: Contender, database: Database) -> psycopg.Connection[tuple[int]]:
    return psycopg.connect(database.url("owner"), autocommit=True, options=f"-c role={contender.counted_by}")


async def _stop(workers: list[subprocess.Popen[bytes]]) -> None:
    members = [pid for worker in workers for pid in family(worker.pid)]
    for worker in workers:
        worker.terminate()
    with suppress(subprocess.TimeoutExpired):
        for worker in workers:
            await asyncio.to_thread(worker.wait, STOP_SECONDS)
    for pid in members:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    for worker in workers:
        worker.wait()
