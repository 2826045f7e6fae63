from __future__ import annotations

from dataclasses import replace

from jobplane.store.postgres.settings import Settings
from tests.client import BlockingPostgresStore


def test_a_program_without_an_operators_login_brings_its_definitions(settings: Settings) -> None:
    """A worker and a manager have the worker's login beside the application's, and no other."""
    urls = {role: url for role, url in settings.urls.items() if role in ("app", "worker")}
    with BlockingPostgresStore(replace(settings, urls=urls)) as store:
        assert store.put_queues(["sync"]) == ["sync"]
        [definition] = store.put_definitions([{"key": "sync-dropbox", "kind": "python", "queue": "sync"}])

    assert definition.queue == "sync"
