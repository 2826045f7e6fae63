from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest

from jobplane import JobStatus
from jobplane.worker.supervisor import level_of
from tests.database import Database
from tests.worker.locked import locked
from tests.worker.outage import shut_out
from tests.worker.stage import Stage, until

UNSHARE = shutil.which("unshare") or ""
BEYOND_SECONDS = 3.0  # a stop takes so much longer than the grace time at most


def test_at_sigterm_jobs_finish_in_the_grace_time_and_the_rest_goes_back_unspent(
    any_stage: Stage, tmp_path: Path
) -> None:
    """A job that may start only once does not go back: it has started."""
    worker = any_stage.started(grace_seconds="3")
    marks = [tmp_path / name for name in ("short", "long", "once")]
    short, long = (any_stage.enqueue("wait", mark=str(mark)) for mark in marks[:2])
    once = any_stage.jp.enqueue("wait", {"mark": str(marks[2])}, max_attempts=1)
    until(lambda: all(mark.with_suffix(".begun").exists() for mark in marks))

    worker.stop()
    worker.until("worker_stopping")
    later = any_stage.enqueue("nothing")
    marks[0].touch()

    assert worker.left() == 0
    assert 3 <= worker.stopping_seconds() <= 3 + BEYOND_SECONDS
    assert any_stage.jp.get(short).status is JobStatus.SUCCEEDED
    assert (any_stage.jp.get(long).status, any_stage.jp.get(long).attempts) == (JobStatus.QUEUED, 0)
    assert any_stage.jp.get(later).status is JobStatus.QUEUED
    buried = any_stage.jp.get(once)
    assert (buried.status, buried.reason, buried.attempts) == (JobStatus.DEAD_LETTER, "shutdown", 1)
    reasons = {line["job_id"]: line["reason"] for line in worker.lines("attempt_released")}
    assert reasons[str(long.id)] == reasons[str(once.id)] == "shutdown"


def test_a_second_signal_means_now(stage: Stage) -> None:
    worker = stage.started(grace_seconds="600")
    job = stage.enqueue("rest", seconds=600)
    until(lambda: stage.is_running(job))

    worker.stop()
    worker.until("worker_stopping")
    worker.stop()

    assert worker.left() == 0
    assert (worker.at("worker_stopped") - worker.at("jobs_released")).total_seconds() <= BEYOND_SECONDS
    assert (stage.jp.get(job).status, stage.jp.get(job).attempts) == (JobStatus.QUEUED, 0)


def test_a_terminal_that_is_closed_stops_it_as_sigterm_does(any_stage: Stage) -> None:
    worker = any_stage.started(grace_seconds="1")
    job = any_stage.enqueue("rest", seconds=600)
    until(lambda: any_stage.is_running(job))

    worker.stop(signal.SIGHUP)

    assert worker.left() == 0
    assert worker.stopping_seconds() <= 1 + BEYOND_SECONDS
    assert (any_stage.jp.get(job).status, any_stage.jp.get(job).attempts) == (JobStatus.QUEUED, 0)


def test_but_not_one_that_nohup_has_started(file_stage: Stage) -> None:
    worker = file_stage.worker(before=("nohup",))
    worker.until("worker_started")

    worker.stop(signal.SIGHUP)

    assert file_stage.ended(file_stage.enqueue("nothing")).status is JobStatus.SUCCEEDED
    assert not worker.lines("worker_stopping")
    worker.stop()
    assert worker.left() == 0


def test_a_terminal_may_be_closed_before_the_loop_runs(file_stage: Stage, tmp_path: Path) -> None:
    settings = tmp_path / "jobplane.toml"
    os.mkfifo(settings)
    worker = file_stage.worker(config=str(settings))
    writing = until_read(settings)
    worker.stop(signal.SIGHUP)
    os.close(writing)

    assert worker.left() == 0
    assert not worker.lines("worker_started")


def test_a_log_that_nobody_reads_keeps_nobody_from_working_or_stopping(file_stage: Stage, tmp_path: Path) -> None:
    log = tmp_path / "worker-0.log"
    os.mkfifo(log)
    reading = os.open(log, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(reading) as lines:
        worker = file_stage.worker(grace_seconds="1", worker_http="127.0.0.1:0")
        os.set_blocking(reading, True)
        said = map(json.loads, lines)
        port = next(line["port"] for line in said if line.get("event") == "health_started")
        assert next(line["pid"] for line in said if line.get("event") == "worker_started")
        resting = file_stage.enqueue("rest", seconds=6)  # longer than its lease
        failing = [file_stage.enqueue("fail") for _ in range(300)]

        assert {file_stage.ended(job).status for job in failing} == {JobStatus.DEAD_LETTER}
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=30) as answer:
            assert answer.status == 200
        assert file_stage.ended(resting).attempts == 1
        worker.stop()
        assert worker.left() == 0


@pytest.mark.quiet
def test_a_stop_ends_in_time_though_the_database_is_gone(stage: Stage, db: Database) -> None:
    worker = stage.started(grace_seconds="1")
    job = stage.enqueue("rest", seconds=600)
    until(lambda: stage.is_running(job))
    stage.jp.close()
    with shut_out(db):
        worker.stop()

        assert worker.left() == 0
    assert worker.stopping_seconds() <= 1 + BEYOND_SECONDS
    assert worker.lines("left_unsettled")


def test_a_stop_waits_for_a_database_that_comes_back_in_the_grace_time(
    stage: Stage, db: Database, tmp_path: Path
) -> None:
    worker = stage.started(grace_seconds="30", lease_seconds="60")
    job = stage.enqueue("wait", mark=str(tmp_path / "mark"))
    until(lambda: stage.is_running(job))
    stage.jp.close()
    with shut_out(db):
        worker.stop()
        worker.until("worker_stopping")
        (tmp_path / "mark").touch()
        with pytest.raises(subprocess.TimeoutExpired):
            worker.left(3)

    assert worker.left() == 0
    assert stage.jp.get(job).status is JobStatus.SUCCEEDED


# Longer than a stop waits for a claim before it goes on.
CLAIMED_LATE_SECONDS = 1.2

_HELD = """from pg_locks where locktype = 'advisory' and classid = 4711 and objid = {}
  and database = (select oid from pg_database where datname = current_database())"""

# A claim that can be seen to wait, by lock 1, until lock 2 is free; not for the lock itself, as that may take 2 s.
SLOW_CLAIM = f"""
grant create on schema jobplane to jobplane_engine;
set role jobplane_engine;
alter function jobplane.claim_encoded rename to claim_encoded_at_once;
create function jobplane.claim_encoded(text, text, int, int, boolean)
returns table (
  seqs bigint[], attempt_nos int[], token uuid, alone bigint[], lasting bigint[], jobs bytea, more boolean,
  lease_expires_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$ begin
  perform pg_advisory_xact_lock_shared(4711, 1);
  while exists (select {_HELD.format(2)}) loop
    perform pg_sleep(0.01);
  end loop;
  return query select * from jobplane.claim_encoded_at_once($1, $2, $3, $4, $5);
end $$;
"""


def test_what_a_claim_brings_in_while_jobs_finish_goes_back(stage: Stage, db: Database, tmp_path: Path) -> None:
    worker = stage.started("--queue", "default", lease_seconds="60")
    running = stage.enqueue("wait", mark=str(tmp_path / "mark"))
    until(lambda: stage.is_running(running))
    with db.connect("app") as keeper:
        keeper.execute("select pg_advisory_lock(4711, 2)")
        db.own(SLOW_CLAIM)
        until(lambda: db.peek(f"select 1 {_HELD.format(1)}"))  # it has 4.5 s from here
        late = stage.enqueue("nothing")
        worker.stop()
        worker.until("worker_stopping")
        time.sleep(CLAIMED_LATE_SECONDS)
    worker.until("claim_given_back")
    (tmp_path / "mark").touch()

    assert worker.left() == 0
    assert stage.jp.get(running).status is JobStatus.SUCCEEDED
    assert (stage.jp.get(late).status, stage.jp.get(late).attempts) == (JobStatus.QUEUED, 0)


def test_what_a_claim_brings_in_while_jobs_finish_goes_back_to_a_file_too(file_stage: Stage, tmp_path: Path) -> None:
    worker = file_stage.started(lease_seconds="60", poll_seconds="0.1")
    running = file_stage.enqueue("wait", mark=str(tmp_path / "mark"))
    until(lambda: file_stage.is_running(running))
    with locked(tmp_path / "jobs.db", enqueues="nothing") as other:
        time.sleep(1)  # it looks for jobs ten times as often, and such a look waits 5 s for the file
        worker.stop()
        worker.until("worker_stopping")
        time.sleep(CLAIMED_LATE_SECONDS)
        other.let_go()
    (tmp_path / "mark").touch()

    assert worker.left() == 0
    assert file_stage.jp.get(running).status is JobStatus.SUCCEEDED
    [late] = file_stage.jp.list(definitions=["nothing"])
    assert (late.status, late.attempts) == (JobStatus.QUEUED, 0)


@pytest.mark.quiet
def test_a_stop_ends_in_time_though_somebody_keeps_the_file(file_stage: Stage, tmp_path: Path) -> None:
    worker = file_stage.started(grace_seconds="1", lease_seconds="60")
    job = file_stage.enqueue("rest", seconds=600)
    until(lambda: file_stage.is_running(job))
    with locked(tmp_path / "jobs.db"):
        time.sleep(1.5)  # claims and renewals wait for the file by now
        worker.stop()

        assert worker.left() == 0
    assert worker.stopping_seconds() <= 1 + BEYOND_SECONDS
    assert worker.lines("left_unsettled")


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
    assert worker.left() == 0
    assert worker.lines("worker_stopped")


@pytest.mark.skipif(not _has_namespaces(), reason="no namespace of processes can be made here")
def test_as_pid_one_it_obeys_a_signal_that_comes_before_its_loop_runs(file_stage: Stage, tmp_path: Path) -> None:
    settings = tmp_path / "jobplane.toml"
    os.mkfifo(settings)
    before = (UNSHARE, "--pid", "--fork", "--kill-child", "--mount-proc")
    worker = file_stage.worker(before=before, config=str(settings))
    writing = until_read(settings)
    [pid] = children(worker.process.pid)
    os.kill(pid, signal.SIGTERM)
    os.close(writing)

    assert worker.left() == 0
    assert not worker.lines("worker_started")


def until_read(pipe: Path) -> int:
    """Wait until somebody reads it; a descriptor that keeps them waiting for the first line."""
    ends: list[int] = []

    def is_read() -> bool:
        with suppress(OSError):
            ends.append(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
        return bool(ends)

    until(is_read)
    return ends[0]


def test_an_executor_that_dies_while_the_worker_stops_is_told_of(file_stage: Stage) -> None:
    worker = file_stage.started(grace_seconds="60")
    job = file_stage.enqueue("rest", seconds=600)
    until(lambda: file_stage.is_running(job))
    worker.stop()
    worker.until("worker_stopping")

    for pid in children(worker.process.pid):
        if b"jobplane.worker.executor" in Path(f"/proc/{pid}/cmdline").read_bytes():
            os.kill(pid, signal.SIGKILL)

    assert worker.until("executor_died")["level"] == "warning"
    assert worker.left() == 0


def test_an_executor_that_leaves_with_its_worker_did_not_crash(file_stage: Stage) -> None:
    worker = file_stage.started(log_level="debug")
    worker.stop()

    assert worker.left() == 0
    assert {(line["cause"], line["level"]) for line in worker.lines("executor_ended")} == {("closed", "debug")}
    assert not worker.lines("executor_died")


@pytest.mark.parametrize(
    ("name", "level"),
    [("executor_started", "info"), ("executor_retired", "info"), ("executor_died", "warning")]
    + [(f"watchdog_{word}", "warning") for word in ("died", "failed", "deaf")],
)
def test_what_goes_wrong_with_a_process_is_a_warning(name: str, level: str) -> None:
    assert level_of(name) == level


def children(pid: int) -> list[int]:
    found = [task.read_text().split() for task in Path(f"/proc/{pid}/task").glob("*/children")]
    return [int(child) for each in found for child in each]


def is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
