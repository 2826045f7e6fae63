"""A database that is reached, takes the login, and then does not say a word."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from jobplane.core.errors import StoreUnavailable
from jobplane.store.postgres.settings import Settings
from tests.client import PostgresWorkerStore
from tests.database import Database
from tests.worker.silence import silence
from tests.worker.stage import Stage


@pytest.mark.parametrize("trust", ["roles", "single"])
def test_a_worker_that_waits_for_it_can_be_stopped(stage: Stage, db: Database, trust: str) -> None:
    with silence(db) as server:
        urls = dict.fromkeys(("database_url", "database_url_worker", "migrate_url"), server.url(db))
        worker = stage.worker(grace_seconds="1", trust=trust, **urls)
        server.until_asked()

        told_at = datetime.now(UTC)
        worker.stop()

        assert worker.left() == 0
        assert (worker.at("worker_stopped") - told_at).total_seconds() < 1 + 3


async def test_it_is_found_again_however_often_it_was_asked_in_vain(db: Database) -> None:
    with silence(db) as server:
        settings = Settings(urls={"app": server.url(db)}, allow_unsafe_durability=True)
        async with PostgresWorkerStore(settings, deadline_seconds=0.1) as store:
            for _ in range(40):  # more than there are threads for
                with pytest.raises(StoreUnavailable):
                    await store.check()
        server.is_silent = False

        async with PostgresWorkerStore(settings) as store:
            await store.check()
