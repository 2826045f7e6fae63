"""Secrets of handlers with a real worker: nothing of them is in the database or in the worker's log."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from jobplane import JobStatus
from tests.dump import dump_postgres, dump_sqlite
from tests.secretive import POLICY, VARIABLES, WAYS, find_leaks
from tests.worker.stage import Stage, Worker

APART = ("print-it-in-parts", "log-a-traceback", "raise-it", "return-it")


@pytest.fixture
def worker(any_stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Worker:
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    policy = tmp_path / "policy.toml"
    policy.write_text(POLICY)
    policy.chmod(0o600)
    return any_stage.started(
        worker_imports="tests.worker.secretive_app",
        worker_policy=str(policy),
        worker_processes="2",
        artifacts_dir=str(tmp_path / "artifacts"),
        log_level="debug",
    )


def dump(request: pytest.FixtureRequest, directory: Path) -> str:
    if "stage" in request.fixturenames:
        return dump_postgres(request.getfixturevalue("db"))
    return dump_sqlite(directory / "jobs.db")


def test_no_way_to_give_a_secret_away_gets_it_stored_or_logged(
    request: pytest.FixtureRequest, any_stage: Stage, worker: Worker, tmp_path: Path
) -> None:
    given = [*product(("give-away", "give-away-async"), WAYS), *product(("give-away-apart",), APART)]

    jobs = [any_stage.jp.enqueue(key, {"way": way}) for key, way in given]
    ended = [any_stage.ended(job) for job in jobs]
    worker.stop()

    assert worker.left() == 0
    assert {job.reason for job in ended}.isdisjoint({"secret_not_allowed", "secret_missing"})
    artifacts = "".join(path.read_text() for path in (tmp_path / "artifacts").rglob("*.json"))
    stored = dump(request, tmp_path)
    for text in (stored, artifacts, worker.log()):
        assert find_leaks(text) == []
        assert "***" in text


def test_a_refused_secret_ends_the_job_with_its_code(any_stage: Stage, worker: Worker) -> None:
    refused = any_stage.ended(any_stage.enqueue("tell", reference="env:SECRETIVE_TOKEN"))

    assert (refused.status, refused.reason) == (JobStatus.FAILED, "secret_not_allowed")
    assert "payload_secrets" in (refused.error or "")
