"""A whole worker behind a pooler in transaction mode: it has no session, and nobody who calls it."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from jobplane import Jobplane, JobStatus
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
