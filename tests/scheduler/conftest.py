from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from tests import programs
from tests.conftest import ROLES
from tests.faults.places import Place, PostgresPlace, SqlitePlace
from tests.scheduler.process import Schedulers


@pytest.fixture(params=["postgres", "sqlite"])
def schedulers(request: pytest.FixtureRequest, scratch: Path) -> Generator[Schedulers]:
    """Real schedulers on a place of the test's own."""
    place: Place
    if request.param == "sqlite":
        place = SqlitePlace(scratch / "jobs.db")
        urls: dict[str, str] = {}
    else:
        db = request.getfixturevalue("db")
        place = PostgresPlace(db)
        urls = {f"JOBPLANE_DATABASE_URL_{role.upper()}": db.url(role) for role in ROLES}
    yield Schedulers(place, {**place.environment(), **urls}, scratch)
    programs.end_all()  # before the database goes
    place.close()
