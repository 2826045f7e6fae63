"""A whole worker behind a pooler in transaction mode: it has no session, and nobody who calls it."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import pytest

from jobplane import Jobplane, JobStatus, UnsupportedServer
from tests.database import Database
from tests.pooler import PORT, PoolerMissing, find, pooled
from tests.worker.stage import Stage, until


@pytest.fixture
def pooled_stage(db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Stage]:
    try:
        find()
    except PoolerMissing as missing:
        pytest.skip(str(missing))
    with pooled(db.cluster) as host:
        app, worker = (f"postgresql://jobplane_{role}@/{db.name}?host={host}&port={PORT}" for role in ("app", "worker"))
        given = {
            "JOBPLANE_DATABASE_URL": app,
            "JOBPLANE_DATABASE_URL_WORKER": worker,
            "JOBPLANE_POOLER": "transaction",
            "JOBPLANE_ALLOW_UNSAFE_DURABILITY": "true",
        }
        for name, value in given.items():
            monkeypatch.setenv(name, value)
        stage = Stage(tmp_path, Jobplane(app), given)
        yield stage
        stage.close()


@pytest.fixture
def strict_url(db: Database) -> Generator[str]:
    """Through a pooler with the settings that it comes with."""
    try:
        find()
    except PoolerMissing as missing:
        pytest.skip(str(missing))
    with pooled(db.cluster, ignored="extra_float_digits") as host:
        yield f"postgresql://jobplane_app@/{db.name}?host={host}&port={PORT}"


def test_a_pooler_that_nobody_told_of_is_named_as_the_reason_at_once(
    strict_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOBPLANE_ALLOW_UNSAFE_DURABILITY", "true")
    reason = "unsupported startup parameter.*set pooler = "
    with closing(Jobplane(strict_url)) as jp, pytest.raises(UnsupportedServer, match=reason):
        list(jp.list())

    stage = Stage(tmp_path, Jobplane(strict_url), {"JOBPLANE_DATABASE_URL": strict_url})
    worker = stage.worker()
    until(lambda: re.search(reason, worker.log()))
    stage.close()

    monkeypatch.setenv("JOBPLANE_POOLER", "transaction")
    with closing(Jobplane(strict_url)) as told:
        assert list(told.list()) == []


def test_a_worker_runs_jobs_and_hears_a_cancel_through_a_pooler(pooled_stage: Stage) -> None:
    stage = pooled_stage
    worker = stage.started(lease_seconds="15")
    long = stage.enqueue("rest", seconds=600)
    jobs = [stage.enqueue("add", a=number, b=1) for number in range(50)]

    assert [stage.ended(job).result for job in jobs] == list(range(1, 51))
    until(lambda: stage.is_running(long))
    stage.jp.cancel(long)
    assert stage.ended(long).status is JobStatus.CANCELED

    worker.stop()
    assert worker.left() == 0
    assert not worker.lines("database_lost")
    assert "prepared statement" not in worker.log()
