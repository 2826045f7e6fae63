from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.client import BlockingSqliteStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "jobs.db"


@pytest.fixture
def store(path: Path) -> Generator[BlockingSqliteStore]:
    """A store on a real disk, with one definition, `d`."""
    with BlockingSqliteStore(path) as store:
        store.put_definitions([{"key": "d", "kind": "python"}])
        yield store
