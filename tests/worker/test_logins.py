from __future__ import annotations

from collections.abc import Generator
from typing import Final

import pytest

from jobplane import JobStatus
from tests.database import Database
from tests.worker.shared import Shared, sharing
from tests.worker.stage import Stage

APP: Final = "tests.worker.passing"


@pytest.fixture(scope="module")
def shared(request: pytest.FixtureRequest) -> Generator[Shared]:
    """With the worker's login alone."""
    with sharing(request) as shared:
        url = shared.db.url("worker")
        shared.start("--url", url, worker_imports=APP, database_url="", database_url_worker="")
        yield shared


@pytest.mark.parametrize("key", ["pass-on", "pass-on-async", "pass-on-by-key"])
def test_a_handler_that_may_not_enqueue_is_told_which_login_it_takes(shared: Shared, key: str) -> None:
    stage = shared.visit()

    job = stage.ended(stage.enqueue(key))

    assert job.status is JobStatus.DEAD_LETTER
    assert "permission denied" in (job.error or "")
    assert "set JOBPLANE_DATABASE_URL_APP" in (job.error or "")


def test_a_handler_with_the_apps_login_may(stage: Stage, db: Database) -> None:
    settings = {"database_url": "", "database_url_worker": "", "database_url_app": db.url("app")}
    stage.started("--url", db.url("worker"), worker_imports=APP, **settings)

    assert stage.ended(stage.enqueue("pass-on")).status is JobStatus.SUCCEEDED
