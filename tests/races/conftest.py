from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.database import Database
from tests.races.stage import Stage


@pytest.fixture
def stage(db: Database) -> Generator[Stage]:
    """Whatever raced, at the end every job is in one state and every limit counts its leases."""
    stage = Stage(db)
    yield stage
    stage.assert_whole()
