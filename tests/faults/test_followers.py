"""Who waits for a job, or follows its log, waits for a database that restarts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest

from jobplane import Jobplane
from jobplane.core.model import JobStatus
from tests.api.conftest import point_at
from tests.faults.servers import OwnServer
from tests.faults.stage import Stage
from tests.faults.waiting import pause, until

on_own_server = pytest.mark.parametrize("place", ["own"], indirect=True)
SECONDS = 40


class Follower:
    """`jobplane jobs logs ID -f`, and what it has printed so far."""

    def __init__(self, job: UUID) -> None:
        command = [sys.executable, "-m", "jobplane", "jobs", "logs", str(job), "-f", "--json"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ)
        self.lines: list[int] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def end(self) -> tuple[int, bytes]:
        """Its exit code and what it complained of."""
        code = self.process.wait(SECONDS)
        self._reader.join(SECONDS)
        with self.process as process:
            assert process.stderr
            return code, process.stderr.read()

    def _read(self) -> None:
        assert self.process.stdout
        for text in self.process.stdout:
            self.lines.append(json.loads(text)["line"])


@on_own_server
def test_followers_and_waiters_outlast_a_restart(
    stage: Stage, server: OwnServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    point_at(server.database, monkeypatch)
    stage.ready_worker(lease_seconds="20")
    [job] = stage.enqueue("chatter", seconds=6, every=0.002)
    with Jobplane() as plane, ThreadPoolExecutor() as threads:
        follower = Follower(job)
        waiter = threads.submit(plane.wait, job, timeout=SECONDS)
        until(lambda: follower.lines, SECONDS, "a first line")
        stage.recorder.note("broken", name="outage")
        server.stop()
        pause(1.5)
        server.start()
        stage.recorder.note("mended", name="outage")
        ended = waiter.result()
    stage.drain(within=SECONDS)

    assert ended.status is JobStatus.SUCCEEDED
    code, said = follower.end()
    assert code == 0
    assert said.count(b"the database is away") == 1
    assert b"psycopg" not in said
    assert follower.lines == list(range(1, len(stage.history().lines) + 1))
