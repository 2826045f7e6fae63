"""One worker for tests that only need one that runs; each of them has a tenant of its own."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from jobplane import Jobplane, opening
from jobplane.config import Config
from jobplane.store.base import BlockingStore
from tests import memory
from tests.client import BlockingOver
from tests.database import Cluster, Database
from tests.worker.conftest import every_login, postgres
from tests.worker.stage import Stage, Worker


class Shared:
    """The worker, and its database with every login. `db` is there on PostgreSQL."""

    def __init__(self, stage: Stage, store: BlockingStore, db: Database | None) -> None:
        self._stage = stage
        self._store = store
        self._db = db
        self.worker: Worker

    @property
    def db(self) -> Database:
        assert self._db is not None
        return self._db

    def start(self, *flags: str, **settings: str) -> None:
        self.worker = self._stage.started(*flags, **settings)

    def slug_of(self, tenant_id: UUID) -> str:
        return BlockingOver(self._store).get_tenant(tenant_id).slug

    def visit(self) -> Stage:
        """For one test. Whatever it lists, waits for or cancels is its own tenant's."""
        tenant = BlockingOver(self._store).create_tenant(uuid4().hex).tenant_id
        return Stage(Path(), Jobplane(store=self._store, tenant=tenant), {})


@contextmanager
def sharing(request: pytest.FixtureRequest) -> Generator[Shared]:
    """On the store that the fixture's parameter names, on PostgreSQL if it has none; the worker is not started yet."""
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=memory.directory())))
        db: Database | None = None
        if getattr(request, "param", "postgres") == "postgres":
            cluster: Cluster = request.getfixturevalue("cluster")
            db = stack.enter_context(cluster.fresh())
        file = f"sqlite:///{directory / 'jobs.db'}"
        store = stack.enter_context(
            closing(opening.open_blocking(every_login(db) if db else Config(database_url=file)))
        )
        stage = Stage(directory, Jobplane(store=store), postgres(db) if db else {"JOBPLANE_DATABASE_URL": file})
        stack.callback(stage.close)
        yield Shared(stage, store, db)
