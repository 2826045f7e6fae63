from __future__ import annotations

import tempfile
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from jobplane.store.postgres.calls.call import Role
from jobplane.store.postgres.settings import Settings
from tests import memory
from tests.client import PostgresStore, SqliteStore, Store
from tests.conftest import ROLES
from tests.database import Cluster
from tests.server.site import Cast, Site, opened


@pytest.fixture(scope="module", params=["postgres", "sqlite"])
async def site(request: pytest.FixtureRequest) -> AsyncGenerator[Site]:
    """One application and one database for the tests of a module; each test has tenants of its own."""
    async with AsyncExitStack() as stack:
        store: Store
        if request.param == "postgres":
            cluster: Cluster = request.getfixturevalue("cluster")
            database = stack.enter_context(cluster.fresh())
            urls: dict[Role, str] = {role: database.url(role) for role in ROLES}
            store = PostgresStore(
                Settings(urls=urls, allow_unsafe_durability=True, pooler="transaction" if cluster.host else "none")
            )
        else:
            folder = stack.enter_context(tempfile.TemporaryDirectory(dir=memory.directory()))
            store = SqliteStore(Path(folder) / "jobs.db")
        await stack.enter_async_context(store)
        yield await stack.enter_async_context(opened(store))


@pytest.fixture
async def cast(site: Site) -> Cast:
    return await site.cast()
