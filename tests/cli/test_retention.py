"""`jobplane retention`: what would go, and what went."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Final

from jobplane.core.artifacts import digest_of, path_of
from jobplane.core.logs import NewLogLine
from jobplane.core.model import DEFAULT_TENANT, Json, NewJob, Outcome
from jobplane.execution.artifacts import Artifacts
from jobplane.opening.postgres import migrations
from jobplane.store.sqlite.moment import SECOND, clock
from tests.cli.command import jobplane, within
from tests.client import BlockingSqliteStore
from tests.clock import START
from tests.leases import settlement
from tests.migrations.cluster import Database

DAY: Final = 86_400 * SECOND


def furnish(path: Path, result: Json = None) -> str:
    """A file in which two jobs with a line each ended forty days ago, and one is active."""
    with BlockingSqliteStore(path, clock=lambda: clock() - 40 * DAY) as store:
        store.put_definitions([{"key": "d", "kind": "python"}, {"key": "kept", "kind": "python", "retention_days": 90}])
        for key in ("d", "kept"):
            store.enqueue(DEFAULT_TENANT, [NewJob(definition=key)])
            [lease] = store.claim("default", "w").leases
            store.log_lines([NewLogLine(lease, 1, START, "info", "said")])
            store.settle([settlement(lease=lease, outcome=Outcome.SUCCEEDED, result=result)])
        store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])
    return f"sqlite:///{path}"


def test_a_dry_run_prints_what_would_go_and_removes_nothing(tmp_path: Path) -> None:
    url = furnish(tmp_path / "jobs.db")

    first, second = (within("retention", "--dry-run", "--url", url) for _ in range(2))

    assert first == second
    assert first.code == 0
    lines = [line.split() for line in first.out.splitlines()]
    assert [lines[0], lines[1][:2], lines[1][-1]] == [
        ["DEFINITION", "JOBS", "OLDEST", "ENDED", "LINES"],
        ["d", "1"],
        "1",
    ]
    assert lines[2:] == [["DEFINITION", "LINES"], ["d", "1"], ["kept", "1"]]
    assert first.err == (
        "1 jobs would go, with 1 log lines.\n2 log lines would go.\nNo files: artifacts_dir is not set.\n"
    )


def test_a_run_removes_it(tmp_path: Path) -> None:
    url = furnish(tmp_path / "jobs.db")

    answer = jobplane("retention", JOBPLANE_DATABASE_URL_SCHEDULER=url)

    assert answer.err == (
        "1 jobs are gone, with 1 log lines.\n1 log lines are gone.\nNo files: artifacts_dir is not set.\n"
    )
    again = within("retention", "--url", url)
    assert (again.code, again.out) == (0, "")
    assert again.err.startswith("0 jobs are gone, with 0 log lines.\n0 log lines are gone.\n")


def test_json_has_the_same_for_a_program(tmp_path: Path) -> None:
    artifacts = tmp_path / "artifacts"
    reference = Artifacts(artifacts).keep(["large"])
    file = path_of(artifacts, digest_of(reference) or "")
    os.utime(file, (1, 1))
    url = furnish(tmp_path / "jobs.db", reference)
    settings = {"JOBPLANE_ARTIFACTS_DIR": str(artifacts), "JOBPLANE_RETENTION_DAYS": "35"}

    answer = within("retention", "-o", "json", "--url", url, **settings)

    found = json.loads(answer.out)
    assert (answer.code, answer.err) == (0, "")
    assert (found["jobs"]["jobs"], found["jobs"]["definitions"][0]["definition"]) == (1, "d")
    assert (found["logs"]["lines"], found["artifacts"]["files"], file.exists()) == (1, 0, True)
    found = json.loads(within("retention", "-o", "json", "--url", url, **settings, JOBPLANE_RETENTION_COUNT="0").out)
    assert (found["jobs"]["jobs"], found["artifacts"]["files"], found["artifacts"]["bytes"]) == (1, 1, 9)
    assert not file.exists()


def test_days_that_cannot_be_are_refused(tmp_path: Path) -> None:
    answer = within("retention", "--url", furnish(tmp_path / "jobs.db"), JOBPLANE_RETENTION_DAYS="-1")

    assert answer.code == 2
    assert "retention_days" in answer.err


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    answer = within("retention", "--url", f"sqlite:///{tmp_path}/none.db")

    assert answer.code == 7
    assert not list(tmp_path.iterdir())


def test_it_takes_the_schedulers_login_on_postgresql(database: Database) -> None:
    migrations.up(database.url("owner"))
    unsafe = {"JOBPLANE_ALLOW_UNSAFE_DURABILITY": "true"}

    right = within("retention", "--url", database.url("scheduler"), **unsafe)
    wrong = within("retention", "--url", database.url("app"), **unsafe)

    assert (right.code, wrong.code) == (0, 4)
