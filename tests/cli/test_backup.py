from __future__ import annotations

from pathlib import Path

from jobplane.core.model import DEFAULT_TENANT, NewJob
from tests.cli.command import jobplane
from tests.client import BlockingSqliteStore


def test_a_copy_has_the_jobs_of_the_file_that_is_in_use(tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    with BlockingSqliteStore(str(tmp_path / "jobs.db")) as store:
        store.put_definitions([{"key": "report", "kind": "python"}])
        [enqueued] = store.enqueue(DEFAULT_TENANT, [NewJob(definition="report")])
        done = jobplane("backup", str(copy), "--url", f"sqlite:///{tmp_path}/jobs.db")

    assert (done.code, done.out) == (0, ""), done
    assert enqueued.job_id is not None
    with BlockingSqliteStore(str(copy)) as store:
        assert [job.id for job in store.get_jobs(DEFAULT_TENANT, [enqueued.job_id])] == [enqueued.job_id]


def test_a_file_that_is_there_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")

    done = jobplane("backup", str(tmp_path / "precious"), "--url", f"sqlite:///{tmp_path}/jobs.db")

    assert done.code != 0
    assert (tmp_path / "precious").read_text() == "mine"


def test_postgresql_is_told_to_use_its_own_tool(tmp_path: Path) -> None:
    done = jobplane("backup", str(tmp_path / "copy"), "--url", "postgresql://nobody@localhost:1/none")

    assert done.code == 2
    assert "pg_dump" in done.err
