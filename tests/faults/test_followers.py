"""Who waits for a job, or follows its log, waits for a database that restarts."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest

from jobplane import Jobplane
from jobplane.core.model import JobStatus
from tests import programs
from tests.api.conftest import point_at
from tests.faults.servers import OwnServer
from tests.faults.stage import Stage
from tests.faults.waiting import PATIENCE, until

on_own_server = pytest.mark.parametrize("place", ["own"], indirect=True)
LONG_LEASE = 120  # longer than the outage, however slow the machine is


class Follower:
    """`jobplane jobs logs ID -f`: what it has printed so far, and what it complained of."""

    def __init__(self, job: UUID) -> None:
        command = [sys.executable, "-m", "jobplane", "jobs", "logs", str(job), "-f", "--json"]
        self.process = programs.start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.lines: list[int] = []
        self.complaints: list[str] = []
        self._readers = [threading.Thread(target=read) for read in (self._read_lines, self._read_complaints)]
        for reader in self._readers:
            reader.start()

    def end(self) -> int:
        """Its exit code."""
        with self.process as process:
            code = process.wait(PATIENCE)
            for reader in self._readers:
                reader.join(PATIENCE)
        return code

    def _read_lines(self) -> None:
        assert self.process.stdout
        for text in self.process.stdout:
            self.lines.append(json.loads(text)["line"])

    def _read_complaints(self) -> None:
        assert self.process.stderr
        self.complaints.extend(self.process.stderr)


@on_own_server
def test_followers_and_waiters_outlast_a_restart(
    stage: Stage, server: OwnServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    point_at(server.database, monkeypatch)
    stage.ready_worker(lease_seconds=str(LONG_LEASE))
    gate = stage.directory / "gate"
    [job] = stage.enqueue("chatter", seconds=600, every=0.01, gate=str(gate))
    with Jobplane() as plane, ThreadPoolExecutor() as threads:
        follower = Follower(job)
        waiter = threads.submit(plane.wait, job, timeout=2 * PATIENCE)
        until(lambda: follower.lines, PATIENCE, "a first line")
        stage.recorder.note("broken", name="outage")
        server.stop()
        until(lambda: follower.complaints, PATIENCE, "a word about it")
        server.start()
        stage.recorder.note("mended", name="outage")
        seen = len(follower.lines)
        until(lambda: len(follower.lines) > seen, PATIENCE, "a line after it")
        gate.touch()
        ended = waiter.result()
    stage.drain(within=60)

    assert ended.status is JobStatus.SUCCEEDED
    assert follower.end() == 0
    said = "".join(follower.complaints)
    assert said.count("The database is unavailable") == 1
    assert "psycopg" not in said
    assert follower.lines == list(range(1, len(stage.history().lines) + 1))
