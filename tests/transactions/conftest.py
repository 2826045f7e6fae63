from __future__ import annotations

from collections.abc import AsyncGenerator, Generator

import pytest

from jobplane.store.postgres.calls.call import Role
from jobplane.store.postgres.settings import Settings
from tests.client import BlockingPostgresStore
from tests.conftest import ROLES
from tests.database import Database
from tests.docs.stage import ORDERS
from tests.transactions import blocking_stacks, loop_stacks
from tests.transactions.blocking_stacks import Stack
from tests.transactions.loop_stacks import LoopStack


@pytest.fixture
def blocking(db: Database) -> Generator[BlockingPostgresStore]:
    """A store of its own, which sees what others have committed; `d` is defined, and the shop has its table."""
    urls: dict[Role, str] = {role: db.url(role) for role in ROLES}
    pooler = "transaction" if db.cluster.host else "none"
    db.own(ORDERS)
    with BlockingPostgresStore(Settings(urls=urls, pooler=pooler, allow_unsafe_durability=True)) as store:
        store.put_definitions([{"key": "d", "kind": "python", "arg_schema": True}])
        yield store


@pytest.fixture(params=blocking_stacks.STACKS)
def stack(request: pytest.FixtureRequest, db: Database, blocking: BlockingPostgresStore) -> Generator[Stack]:
    """Each stack with its own way to begin, inside a transaction that it has begun."""
    with blocking_stacks.STACKS[request.param](db) as stack:
        yield stack


@pytest.fixture(params=loop_stacks.STACKS)
async def loop_stack(
    request: pytest.FixtureRequest, db: Database, blocking: BlockingPostgresStore
) -> AsyncGenerator[LoopStack]:
    async with loop_stacks.STACKS[request.param](db) as stack:
        yield stack
