"""A fleet on the stage: jobs without a store, and a recorder of what it reports."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from copy import copy
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import orjson

from jobplane.core.leases import Claimed, Lease, Settlement
from jobplane.core.logs import NewLogLine
from jobplane.core.outputs import CommandOutput
from jobplane.worker.claim_records import ClaimRecords
from jobplane.worker.fleet import Fleet
from jobplane.worker.watchdog import boot_time
from tests.worker.settings import settings

ROOT = Path(__file__).parents[3]
EXECUTOR = "jobplane.worker.executor"
APP = "tests.worker.fleet.app"


class Recorder:
    """Everything that a fleet says, and a way to wait for it."""

    def __init__(self) -> None:
        self.ends: dict[int, Settlement] = {}
        self.lines: list[NewLogLine] = []
        self.outputs: dict[int, CommandOutput] = {}
        self.events: list[tuple[str, dict[str, object]]] = []
        self._stirred = asyncio.Event()

    def on_ended(self, settlements: list[Settlement]) -> None:
        for end in settlements:
            assert end.lease.seq not in self.ends, "an attempt ends once"
            self.ends[end.lease.seq] = end
        self._stirred.set()

    def on_logged(self, lines: list[NewLogLine], sizes: Mapping[int, int]) -> None:
        self.lines += lines
        self._stirred.set()

    def on_progressed(self, seq: int, share: float | None, message: str | None) -> None:
        pass

    def on_output(self, lease: Lease, output: CommandOutput) -> None:
        self.outputs[lease.seq] = output
        self._stirred.set()

    def on_freed(self) -> None:
        self._stirred.set()

    def log_event(self, name: str, **facts: object) -> None:
        self.events.append((name, facts))
        self._stirred.set()

    def heard(self, name: str) -> list[dict[str, Any]]:
        return [facts for event, facts in self.events if event == name]

    async def until(self, reached: Callable[[], object], seconds: float = 60) -> None:
        async with asyncio.timeout(seconds):
            while not reached():
                self._stirred.clear()
                await self._stirred.wait()

    def said(self, *seqs: int) -> list[tuple[str, str | None]]:
        return [(str(self.ends[seq].ending.outcome), self.ends[seq].ending.reason) for seq in seqs]


class Job:
    """One lease, and the file in which its handler signs."""

    def __init__(self, seq: int, key: str, mark: Path, timeout: int | None, payload: dict[str, object]) -> None:
        self.lease = Lease(seq, 1, uuid4())
        self.seq = seq
        self.mark = mark
        self.job_id = str(uuid4())
        fields = (seq, 1, key, timeout or "", 2, self.job_id, UUID(int=7), 1_700_000_000_000_000, "api", "")
        self.line = "\t".join(map(str, fields)).encode() + b"\t" + orjson.dumps(payload)

    def again(self) -> Job:
        """Its next attempt."""
        job = copy(self)
        job.lease = Lease(self.seq, 2, uuid4())
        job.line = self.line.replace(b"\t1\t", b"\t2\t", 1)
        return job

    def end(self) -> None:
        """Tell one that mumbles."""
        self.mark.with_name(f"{self.mark.name}-end").touch()

    @property
    def pids(self) -> list[int]:
        """Its process, and what it started; nothing before it has begun."""
        return [int(pid) for pid in self.mark.read_text().split()] if self.mark.exists() else []


class Stage:
    """Makes jobs and deals them."""

    def __init__(self, fleet: Fleet, claim_records: ClaimRecords, recorder: Recorder, directory: Path) -> None:
        self.fleet = fleet
        self._claim_records = claim_records
        self.recorder = recorder
        self._directory = directory
        self._seq = 0

    def job(self, key: str, *, timeout: int | None = None, signs: bool = False, **payload: object) -> Job:
        self._seq += 1
        mark = self._directory / f"job-{self._seq}"
        if signs:
            payload["mark"] = str(mark)
        return Job(self._seq, key, mark, timeout, payload)

    def deal(
        self,
        *jobs: Job,
        alone: Sequence[Job] = (),
        lasting: Sequence[Job] = (),
        asked_at: float | None = None,
        queue: str = "default",
    ) -> list[Lease]:
        every = [*jobs, *alone]
        for job in every:
            self._claim_records.keep(Claimed([job.lease], job.line))
        taken = Claimed(
            [job.lease for job in every],
            b"\n".join(job.line for job in every),
            alone=frozenset(job.seq for job in alone),
            lasting=frozenset(job.seq for job in lasting),
        )
        return self.fleet.deal(taken, boot_time() if asked_at is None else asked_at, queue)

    async def signed(self, *jobs: Job) -> None:
        """Wait until their handlers run."""
        await until(lambda: all(job.pids for job in jobs))

    async def ended(self, *jobs: Job) -> list[tuple[str, str | None]]:
        """How they ended, once they have."""
        await self.recorder.until(lambda: all(job.seq in self.recorder.ends for job in jobs))
        return self.recorder.said(*(job.seq for job in jobs))


@asynccontextmanager
async def staged(directory: Path, **given: Any) -> AsyncGenerator[Stage]:
    recorder, claim_records = Recorder(), ClaimRecords()
    find_slugs = given.pop("find_slugs", dict[str, str])
    own = {name: given.pop(name) for name in ("alone_limit", "processes") if name in given}
    named = {"slots": "worker_concurrency", "prefetch": "worker_prefetch"}
    config: dict[str, Any] = {"worker_imports": [APP], "worker_concurrency": 4} | {
        named.get(key, key): given[key] for key in given
    }
    fleet = Fleet(settings(sys_path=str(ROOT), own=own, **config), recorder, claim_records, find_slugs)
    await fleet.start()
    try:
        yield Stage(fleet, claim_records, recorder, directory)
    finally:
        await fleet.close()


async def until(reached: Callable[[], object], seconds: float = 60) -> None:
    """For what no process tells us about."""
    async with asyncio.timeout(seconds):
        while not reached():  # noqa: ASYNC110 the other side is a file or a process
            await asyncio.sleep(0.01)


def is_alive(pid: int) -> bool:
    """A zombie is dead."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def children(word: str, parent: int | None = None) -> list[int]:
    """The live children whose command line has this word."""
    tasks = Path(f"/proc/{parent or os.getpid()}/task").iterdir()
    found = [int(pid) for task in tasks for pid in (task / "children").read_text().split()]
    return [pid for pid in found if is_alive(pid) and word in _command(pid)]


def _command(pid: int) -> str:
    """Its command line; that of a process which has just ended is empty."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except FileNotFoundError:
        return ""


def resident_kilobytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/status").read_text().partition("VmRSS:")[2].split()[0])
