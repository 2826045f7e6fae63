"""Real `jobplane worker` processes on a real database, and the lines that they log."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from jobplane import Job, JobHandle, Jobplane, JobStatus
from jobplane.core.model import Json

ROOT: Final = Path(__file__).parents[2]
PROGRAM: Final = "jobplane.cli.main"
HASTY: Final = "tests.worker.hasty"
APP: Final = "tests.worker.app"
KEYS: Final = ["add", "fail", "look-up", "nothing", "orphan", "rest", "talk", "wait"]  # of what it defines
PATIENCE_SECONDS: Final = 60.0  # with what is broken: a machine may be slow
Line = dict[str, Any]


def until(probe: Callable[[], object], seconds: float = PATIENCE_SECONDS) -> None:
    """Look until it is true."""
    ends_at = time.monotonic() + seconds
    while not probe():
        assert time.monotonic() < ends_at, f"it did not come true in {seconds:g} s"
        time.sleep(0.02)


async def until_async(probe: Callable[[], Awaitable[object]]) -> None:
    """The same on a loop."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not await probe():  # noqa: ASYNC110 the other side is a database or a page
            await asyncio.sleep(0.02)


def environment(given: Mapping[str, str]) -> dict[str, str]:
    """Ours without settings of jobplane, so that a test knows which ones there are."""
    return {name: value for name, value in os.environ.items() if not name.startswith("JOBPLANE_")} | dict(given)


class Worker:
    """One worker; what it logs is read from a file."""

    def __init__(self, log: Path, given: Mapping[str, str], *command: str) -> None:
        self._log = log
        with log.open("wb") as output:
            self.process = subprocess.Popen(command, cwd=ROOT, env=environment(given), stdout=output, stderr=output)

    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def lines(self, event: str, job: JobHandle | None = None) -> list[Line]:
        """Of this event; of this job alone if one is named."""
        found: list[Line] = [json.loads(line) for line in self.log().splitlines() if line.startswith("{")]
        of_event = [line for line in found if line.get("event") == event]
        return of_event if job is None else [line for line in of_event if line.get("job_id") == str(job.id)]

    def about(self, job: JobHandle) -> list[Line]:
        """Every line that names this job."""
        found: list[Line] = [json.loads(line) for line in self.log().splitlines() if line.startswith("{")]
        return [line for line in found if line.get("job_id") == str(job.id)]

    def until(self, event: str, seconds: float = PATIENCE_SECONDS, job: JobHandle | None = None) -> Line:
        """The first line of this event."""
        until(lambda: self.lines(event, job) or self.process.poll() is not None, seconds)
        assert self.lines(event, job), f"it has left with {self.process.returncode}:\n{self.log()}"
        return self.lines(event, job)[0]

    def at(self, event: str) -> datetime:
        """When it first said so, by its own log: how long a test waits for its turn on a busy machine is not in it."""
        return datetime.fromisoformat(self.until(event)["timestamp"])

    def stopping_seconds(self) -> float:
        """From the begin of its stop to its last word."""
        return (self.at("worker_stopped") - self.at("worker_stopping")).total_seconds()

    def get(self, path: str) -> tuple[int, Line]:
        """What its health port answers."""
        port = self.until("health_started")["port"]
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def stop(self, number: int = signal.SIGTERM) -> None:
        self.process.send_signal(number)

    def left(self, seconds: float = PATIENCE_SECONDS) -> int:
        """How it ended, and that it did."""
        return self.process.wait(seconds)

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class Stage:
    """A database, an application that enqueues, and the workers that it starts."""

    def __init__(self, directory: Path, jp: Jobplane, given: Mapping[str, str]) -> None:
        self.jp = jp
        self._directory = directory
        self._given = given
        self._workers: list[Worker] = []

    def worker(self, *flags: str, before: tuple[str, ...] = (), program: str = PROGRAM, **settings: str) -> Worker:
        """Settings are named as in the environment, without the prefix."""
        defaults = {"worker_imports": APP, "worker_processes": "1", "lease_seconds": "5", "log_format": "json"}
        named = {f"JOBPLANE_{name.upper()}": value for name, value in {**defaults, **settings}.items()}
        log = self._directory / f"worker-{len(self._workers)}.log"
        command = (*before, sys.executable, "-m", program, "worker", *flags)
        self._workers.append(Worker(log, {**self._given, **named}, *command))
        return self._workers[-1]

    def started(self, *flags: str, program: str = PROGRAM, **settings: str) -> Worker:
        worker = self.worker(*flags, before=(), program=program, **settings)
        worker.until("worker_started")
        return worker

    def enqueue(self, key: str, **payload: Json) -> JobHandle:
        return self.jp.enqueue(key, payload)

    def ended(self, job: JobHandle, seconds: float = PATIENCE_SECONDS) -> Job:
        return self.jp.wait(job, timeout=seconds)

    def is_running(self, job: JobHandle) -> bool:
        return self.jp.get(job).status is JobStatus.RUNNING

    def close(self) -> None:
        for worker in self._workers:
            worker.end()
        self.jp.close()
