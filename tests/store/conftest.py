from __future__ import annotations

from collections.abc import Generator

import pytest

from jobplane.store.postgres.calls.call import Role
from jobplane.store.postgres.settings import Settings
from tests.client import BlockingPostgresStore
from tests.conftest import ROLES
from tests.database import Database


@pytest.fixture
def settings(db: Database) -> Settings:
    """One login for each role, as the store under test has them."""
    urls: dict[Role, str] = {role: db.url(role) for role in ROLES}
    pooler = "transaction" if db.cluster.host else "none"
    return Settings(urls=urls, pooler=pooler, allow_unsafe_durability=True)


@pytest.fixture
def blocking(settings: Settings) -> Generator[BlockingPostgresStore]:
    with BlockingPostgresStore(settings) as store:
        yield store
