from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import pytest

from jobplane import Jobplane, opening
from jobplane.config import Config
from tests.client import BlockingOver, BlockingStore
from tests.conftest import ROLES
from tests.database import Database
from tests.worker.stage import Stage


def postgres(db: Database) -> dict[str, str]:
    """The settings of a worker on this database."""
    return {
        "JOBPLANE_DATABASE_URL": db.url("app"),
        "JOBPLANE_DATABASE_URL_WORKER": db.url("worker"),
        "JOBPLANE_ALLOW_UNSAFE_DURABILITY": "true",
    }


def every_login(db: Database) -> Config:
    """For a store that may do all that anybody may."""
    urls = {f"database_url_{role}": db.url(role) for role in ROLES}
    return Config.model_validate({**urls, "database_url": db.url("app"), "allow_unsafe_durability": True})


@pytest.fixture
def db(rewound_db: Database) -> Database:
    return rewound_db


@pytest.fixture
def tmp_path(scratch: Path) -> Path:
    """In memory: nobody here asks what a disk does, and each commit to a file would wait for it."""
    return scratch


@pytest.fixture
def stage(db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Stage]:
    """On PostgreSQL."""
    monkeypatch.setenv("JOBPLANE_ALLOW_UNSAFE_DURABILITY", "true")
    stage = Stage(tmp_path, Jobplane(db.url("app")), postgres(db))
    yield stage
    stage.close()


@pytest.fixture
def file_stage(tmp_path: Path) -> Generator[Stage]:
    """On a SQLite file."""
    url = f"sqlite:///{tmp_path / 'jobs.db'}"
    stage = Stage(tmp_path, Jobplane(url), {"JOBPLANE_DATABASE_URL": url})
    yield stage
    stage.close()


@pytest.fixture(params=["postgres", "sqlite"])
def any_stage(request: pytest.FixtureRequest) -> Stage:
    """On each store."""
    found: Stage = request.getfixturevalue("stage" if request.param == "postgres" else "file_stage")
    return found


@pytest.fixture
def any_store(request: pytest.FixtureRequest, any_stage: Stage, tmp_path: Path) -> Generator[BlockingStore]:
    """Where the jobs of `any_stage` are, with every login."""
    config = Config(database_url=f"sqlite:///{tmp_path / 'jobs.db'}")
    if "stage" in request.fixturenames:
        config = every_login(request.getfixturevalue("db"))
    with closing(opening.open_blocking(config)) as store:
        yield BlockingOver(store)
