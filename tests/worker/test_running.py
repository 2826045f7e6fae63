from __future__ import annotations

import signal
import time
from pathlib import Path

from jobplane import JobStatus
from jobplane.core.model import DEFAULT_TENANT
from tests.database import Database
from tests.worker.commits import at_commit
from tests.worker.stage import KEYS, Stage, until


def test_a_worker_runs_what_is_enqueued_and_leaves_nothing_behind(any_stage: Stage) -> None:
    worker = any_stage.started()

    good, bad = any_stage.enqueue("add", a=1, b=2), any_stage.enqueue("fail")

    assert any_stage.ended(good).status is JobStatus.SUCCEEDED
    assert any_stage.jp.result(good) == 3
    assert any_stage.ended(bad).status is JobStatus.DEAD_LETTER
    worker.until("attempt_failed")  # a moment after the database has it
    [line] = worker.lines("attempt_failed")
    assert (line["job_id"], line["error"]) == (str(bad.id), "ValueError: as it has to")
    assert "in fail\n" in line["exception"]
    worker.stop()
    assert worker.left() == 0
    assert any_stage.jp.get(good).attempts == 1
    assert [line.keys() >= {"timestamp", "level", "message"} for line in worker.lines("worker_stopped")] == [True]


def test_a_definition_that_is_not_there_yet_comes_with_the_worker(stage: Stage, db: Database) -> None:
    worker = stage.started("--name", "left-hand")

    [row] = db.peek("select worker_id, hostname, queues, definitions, slots, metadata from jobplane.workers")

    assert row[0].startswith("left-hand:")
    assert (row[2], row[4]) == (["default", "orphans"], 16)
    assert row[3] == sorted(row[5]["definition_hashes"]) == KEYS
    worker.stop(signal.SIGINT)
    assert worker.left() == 0
    assert db.peek("select 1 from jobplane.workers") == []


def test_what_a_claim_could_not_commit_has_not_begun(stage: Stage, db: Database) -> None:
    """The executor has read the job by then."""
    worker = stage.started()
    at_commit(db, "raise exception 'not today'")
    job = stage.enqueue("add", a=1, b=2)
    until(lambda: any("not today" in line["error"] for line in worker.lines("database_lost")))

    at_commit(db, "null")

    ended = stage.ended(job)
    assert (ended.status, ended.attempts) == (JobStatus.SUCCEEDED, 1)
    assert worker.log().count('"adding"') == 1


def test_a_job_that_nobody_tells_of_is_found_soon_after_those_beside_it(stage: Stage, db: Database) -> None:
    """Of three who enqueue at once two tell of it; the third commits while the jobs of the two are being claimed."""
    worker = stage.started(poll_seconds="30")
    stage.ended(stage.enqueue("nothing"))
    until(lambda: db.peek("select 1 from jobplane.queues where wanted_until > jobplane.clock()"))
    time.sleep(1)  # it is calm
    at_commit(db, "perform pg_sleep(0.4)")
    writers = [db.connect("app", autocommit=False) for _ in range(3)]
    for writer in writers:
        writer.execute("select set_config('jobplane.tenant_id', %s, true)", [str(DEFAULT_TENANT)])
        writer.execute("select jobplane.enqueue('nothing', '{}')")
    worker.stop(signal.SIGSTOP)  # to hear of both at once
    writers[0].commit()
    writers[1].commit()
    worker.stop(signal.SIGCONT)
    time.sleep(0.4)

    writers[2].commit()

    until(lambda: {job.status for job in stage.jp.list()} == {JobStatus.SUCCEEDED}, 15)


def test_what_a_handler_enqueues_is_found_at_its_end_where_nobody_can_tell(file_stage: Stage) -> None:
    file_stage.jp.job("pass-on", max_attempts=1)(lambda: None)  # the worker has what it does
    file_stage.enqueue("pass-on")

    file_stage.started(worker_imports="tests.worker.passing", poll_seconds="60")

    until(lambda: [job.status for job in file_stage.jp.list()] == [JobStatus.SUCCEEDED] * 2, 30)


def test_a_worker_has_four_connections_however_many_jobs_it_runs(stage: Stage, db: Database, tmp_path: Path) -> None:
    stage.started("--concurrency", "64", lease_seconds="60")
    jobs = [stage.enqueue("wait", mark=str(tmp_path / "mark")) for _ in range(64)]
    until(lambda: all(map(stage.is_running, jobs)))

    busy = connections(db)
    (tmp_path / "mark").touch()
    ended = {stage.ended(job).status for job in jobs}

    assert (busy <= 4, connections(db), ended) == (True, 4, {JobStatus.SUCCEEDED})


def test_a_worker_that_polls_has_no_connection_that_listens(stage: Stage, db: Database) -> None:
    worker = stage.started(wakeup="poll")

    stage.ended(stage.enqueue("nothing"))

    assert connections(db) == 3
    worker.stop()
    assert worker.left() == 0
    assert not worker.lines("listener_lost")


def connections(db: Database) -> int:
    count = "select count(*) from pg_stat_activity where datname = %s and usename = 'jobplane_worker'"
    with db.cluster.admin() as admin:
        return admin.execute(count, [db.name]).fetchall()[0][0]
