"""A page that listens for changes outlasts a restart of the database, and is told to read everything again."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from jobplane.config import Config
from jobplane.server import listeners, streaming
from jobplane.store.postgres.calls.call import Role
from jobplane.store.postgres.settings import Settings
from tests.client import PostgresStore
from tests.conftest import ROLES
from tests.faults.servers import own_server
from tests.server.listening import listening, until
from tests.server.site import opened


async def test_a_listener_outlasts_a_restart_of_the_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(listeners, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(streaming, "TICK_SECONDS", 0.2)
    with own_server(tmp_path) as server:
        urls: dict[Role, str] = {role: server.database.url(role) for role in ROLES}
        settings = Settings(urls=urls, allow_unsafe_durability=True)
        config = Config(server_requests_per_second=0)
        async with PostgresStore(settings) as store, opened(store, config) as site:
            cast = await site.cast()
            definition = await site.define()
            async with listening(cast.bob) as bob:
                await asyncio.to_thread(server.stop)
                await until(lambda: "Changes cannot be read" in caplog.text)
                site.forget()  # the key can be asked for no more
                assert await bob.settle() == []

                await asyncio.to_thread(server.start)
                await bob.hear("reset")

                while (await cast.alice.post("/jobs", {"definition_key": definition.key})).status == 503:
                    pass
                await bob.hear("jobs")

    assert caplog.text.count("Changes cannot be read") == 1
