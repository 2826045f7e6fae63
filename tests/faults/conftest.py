from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.database import Database
from tests.faults.places import Place, PostgresPlace, SqlitePlace
from tests.faults.proxy import Proxy, proxied
from tests.faults.recorder import Recorder, recording
from tests.faults.servers import OwnServer, own_server
from tests.faults.sizes import FULL, SLOW
from tests.faults.stage import Stage


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In full all run; else slow ones alone, or all others. Those of every day may not take minutes."""
    for item in items:
        if (FULL or SLOW) and "tests/faults" in item.nodeid:
            item.add_marker(pytest.mark.timeout(600))
    others = [item for item in items if "tests/faults" in item.nodeid and bool(item.get_closest_marker("slow")) != SLOW]
    if others and not FULL:
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if item not in others]


@pytest.fixture
def recorder() -> Generator[Recorder]:
    with recording() as recorder:
        yield recorder


@pytest.fixture
def place(request: pytest.FixtureRequest) -> Place:
    """A store for the test; `own` is on a server that can be stopped.

    A file lies in memory: no machine dies here, and a disk that takes seconds for an fsync shifts every lease.
    """
    match request.param:
        case "sqlite":
            scratch: Path = request.getfixturevalue("scratch")
            return SqlitePlace(scratch / "jobs.db")
        case "own":
            return PostgresPlace(request.getfixturevalue("server").database)
        case _:
            db: Database = request.getfixturevalue("db")
            return PostgresPlace(db)


@pytest.fixture
def server(tmp_path: Path) -> Generator[OwnServer]:
    with own_server(tmp_path / "postgres") as server:
        yield server


@pytest.fixture
def stage(place: Place, recorder: Recorder, tmp_path: Path) -> Generator[Stage]:
    """Whatever happened, at the end the judge looks at all of it."""
    stage = Stage(place, recorder, tmp_path)
    try:
        yield stage
        stage.end()
        stage.judge()
    finally:
        stage.close()


@pytest.fixture
def proxy(stage: Stage, db: Database) -> Generator[Proxy]:
    """A proxy that the stage's workers reach their database through."""
    with proxied(db.cluster.server.socket_dir / ".s.PGSQL.5432") as proxy:
        stage.proxy = proxy
        yield proxy
        stage.end()
