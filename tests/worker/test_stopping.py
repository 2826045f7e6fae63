from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from jobplane import JobStatus
from tests.database import Database
from tests.worker.outage import shut_out
from tests.worker.stage import Stage, until

UNSHARE = shutil.which("unshare") or ""


def test_at_sigterm_jobs_finish_in_the_grace_time_and_the_rest_goes_back_unspent(any_stage: Stage) -> None:
    worker = any_stage.started(grace_seconds="2")
    short, long = any_stage.enqueue("rest", seconds=1), any_stage.enqueue("rest", seconds=60)
    until(lambda: any_stage.is_running(short) and any_stage.is_running(long))

    worker.stop()
    later = any_stage.enqueue("nothing")

    assert worker.left(2 + 3) == 0
    assert any_stage.jp.get(short).status is JobStatus.SUCCEEDED
    assert (any_stage.jp.get(long).status, any_stage.jp.get(long).attempts) == (JobStatus.QUEUED, 0)
    assert any_stage.jp.get(later).status is JobStatus.QUEUED
    reasons = {line["job_id"]: line["reason"] for line in worker.lines("attempt_released")}
    assert reasons[str(long.id)] == "shutdown"


def test_a_second_signal_means_now(stage: Stage) -> None:
    worker = stage.started(grace_seconds="60")
    job = stage.enqueue("rest", seconds=60)
    until(lambda: stage.is_running(job))

    worker.stop()
    worker.until("worker_stopping")
    worker.stop()

    assert worker.left(3) == 0
    assert (stage.jp.get(job).status, stage.jp.get(job).attempts) == (JobStatus.QUEUED, 0)


def test_a_stop_ends_in_time_though_the_database_is_gone(stage: Stage, db: Database) -> None:
    worker = stage.started(grace_seconds="1")
    job = stage.enqueue("rest", seconds=60)
    until(lambda: stage.is_running(job))
    stage.jp.close()
    with shut_out(db):
        worker.stop()

        assert worker.left(1 + 3) == 0
    assert worker.lines("left_unsettled")


def test_a_stop_waits_for_a_database_that_comes_back_in_the_grace_time(stage: Stage, db: Database) -> None:
    worker = stage.started(grace_seconds="20", lease_seconds="30")
    job = stage.enqueue("rest", seconds=0.5)
    until(lambda: stage.is_running(job))
    stage.jp.close()
    with shut_out(db):
        worker.stop()
        with pytest.raises(subprocess.TimeoutExpired):
            worker.left(3)

    assert worker.left(15) == 0
    assert stage.jp.get(job).status is JobStatus.SUCCEEDED


def _has_namespaces() -> bool:
    probe = [UNSHARE, "--pid", "--fork", "--mount-proc", "true"]
    return bool(UNSHARE) and subprocess.run(probe, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not _has_namespaces(), reason="no namespace of processes can be made here")
def test_as_pid_one_it_obeys_signals_and_buries_orphans(file_stage: Stage) -> None:
    worker = file_stage.worker(before=(UNSHARE, "--pid", "--fork", "--kill-child", "--mount-proc"))
    worker.until("worker_started")
    [pid] = children(worker.process.pid)

    job = file_stage.enqueue("orphan")
    assert file_stage.ended(job).status is JobStatus.SUCCEEDED
    until(lambda: not [child for child in children(pid) if is_zombie(child)])

    os.kill(pid, signal.SIGTERM)
    assert worker.left(10) == 0
    assert worker.lines("worker_stopped")


def children(pid: int) -> list[int]:
    found = [task.read_text().split() for task in Path(f"/proc/{pid}/task").glob("*/children")]
    return [int(child) for each in found for child in each]


def is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
