"""A worker meets rows that cannot be decoded, between good ones."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from jobplane import JobHandle, JobStatus, opening
from jobplane.config import Config
from jobplane.store.sqlite.drivers import Link, connect
from tests.client import BlockingOver
from tests.database import Database
from tests.worker.conftest import every_login
from tests.worker.stage import HASTY, Stage, until

LONG = '\'{"a": 1' + "0" * 5000 + ', "b": 1}\''  # a number of more digits than Python reads
# column: values that SQLite keeps
SQLITE = [
    ("payload", LONG),
    ("payload", "cast(x'7b2261223a22ff227d' as text)"),
    ("payload", "'{\"a\":' || char(10) || char(9) || char(10) || '1'"),
    ("payload", "'{\"a\":\"' || char(0) || '\"}'"),
    ("payload", r"""'{"a":"\ud800","b":1}'"""),
    ("payload", '\'{"a":NaN,"b":1}\''),
    ("payload", "'[1]'"),
    ("payload", "''"),
    ("artifact_ref", "cast(x'ff' as text)"),
    ("trace_context", "cast(x'0a09ff' as text)"),
    ("source", "cast(x'0a09ff' as text)"),
    ("id", "'no uuid'"),
    ("payload", "'{' || char(10) || '\"a\": 1, \"b\": 2' || char(10) || '}'"),  # which is good JSON
]
POSTGRES = [("payload", LONG), ("payload", "'[1]'"), ("payload", "'\"text\"'")]


def shell(directory: Path) -> Link:
    """A connection past the verbs."""
    link = connect("apsw", directory / "jobs.db")
    link.rows("pragma busy_timeout = 10000")
    return link


def define(config: Config) -> None:
    """Bring the definition into the database before a worker does."""
    with closing(opening.open_blocking(config)) as opened:
        store = BlockingOver(opened)
        store.put_queues(["default"])
        store.put_definitions([{"key": "add", "kind": "python", "arg_schema": {}}])


def alternately(stage: Stage, number: int) -> tuple[list[JobHandle], list[JobHandle]]:
    """Good jobs, and those that are to be spoilt."""
    jobs = [stage.enqueue("add", a=1, b=2) for _ in range(2 * number)]
    return jobs[::2], jobs[1::2]


def test_on_postgresql_the_good_jobs_succeed_the_bad_ones_fail_at_once_and_the_worker_lives(
    stage: Stage, db: Database
) -> None:
    define(every_login(db))
    good, bad = alternately(stage, len(POSTGRES))
    for job, (column, value) in zip(bad, POSTGRES, strict=True):
        db.peek(f"update jobplane.jobs set {column} = {value} where id = '{job.id}'")

    assert_that_each_ends_alone(stage, good, bad)


def test_on_sqlite_the_good_jobs_succeed_the_bad_ones_fail_at_once_and_the_worker_lives(
    file_stage: Stage, tmp_path: Path
) -> None:
    define(Config(database_url=f"sqlite:///{tmp_path / 'jobs.db'}"))
    good, bad = alternately(file_stage, len(SQLITE))
    link = shell(tmp_path)
    for job, (column, value) in zip(bad, SQLITE, strict=True):
        link.rows(f"update jobplane_jobs set {column} = {value} where id = '{job.id}'")
    link.close()

    *bad, _, pretty = bad
    assert_that_each_ends_alone(file_stage, [*good, pretty], bad)
    [nameless] = [job for job in file_stage.jp.list() if "id" in job.undecodable]
    assert (nameless.status, nameless.reason, nameless.attempts) == (JobStatus.FAILED, "invalid_payload", 1)


def assert_that_each_ends_alone(stage: Stage, good: list[JobHandle], bad: list[JobHandle]) -> None:
    worker = stage.started(log_level="debug")
    for job in good:
        assert stage.ended(job).status is JobStatus.SUCCEEDED
        assert stage.jp.result(job) == 3
    for job in bad:
        ended = stage.ended(job)
        assert (ended.status, ended.reason, ended.attempts) == (JobStatus.FAILED, "invalid_payload", 1), ended
        assert ended.error
    assert worker.lines("executor_died") == []
    assert worker.lines("loop_died") == []
    later = stage.enqueue("add", a=1, b=2)
    assert stage.ended(later).status is JobStatus.SUCCEEDED
    worker.stop()
    assert worker.left() == 0


def test_a_worker_whose_own_row_cannot_be_decoded_registers_again(file_stage: Stage, tmp_path: Path) -> None:
    worker = file_stage.started(program=HASTY)

    link = shell(tmp_path)
    for number, column in enumerate(("queues", "definitions"), 1):
        link.rows(f"update jobplane_workers set {column} = cast(x'ff' as text)")

        until(lambda: len(worker.lines("registered_again")) == number)  # noqa: B023 it is called before the next
        assert file_stage.ended(file_stage.enqueue("add", a=1, b=2)).status is JobStatus.SUCCEEDED
        assert link.rows("select json_valid(queues) and json_valid(definitions) from jobplane_workers") == [(1,)]
    link.close()
