from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from pathlib import Path
from typing import get_args

import pytest

from jobplane import Jobplane
from jobplane.store.postgres.calls.call import Role
from tests.database import Database


def point_at(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """The configuration of a program on that database: one login for each role."""
    monkeypatch.setenv("JOBPLANE_DATABASE_URL", db.url("app"))
    for role in get_args(Role):
        monkeypatch.setenv(f"JOBPLANE_DATABASE_URL_{role.upper()}", db.url(role))
    monkeypatch.setenv("JOBPLANE_ALLOW_UNSAFE_DURABILITY", "true")
    if db.cluster.host:
        monkeypatch.setenv("JOBPLANE_POOLER", "transaction")


@pytest.fixture
def db(rewound_db: Database) -> Database:
    return rewound_db


@pytest.fixture(params=["postgres", "sqlite"])
def url(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, scratch: Path) -> str | None:
    """Each store in turn; None is the configuration's."""
    if request.param == "sqlite":
        return f"sqlite:///{scratch / 'jobs.db'}"
    point_at(request.getfixturevalue("db"), monkeypatch)
    return None


@pytest.fixture
def jp(url: str | None) -> Generator[Jobplane]:
    with Jobplane(url) as plane:
        yield plane


@pytest.fixture
async def on_loop(jp: Jobplane) -> AsyncGenerator[Jobplane]:
    """The same for a test with an event loop."""
    async with jp:
        yield jp
