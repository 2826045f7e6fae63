"""A database that another release has left: the one problem that a program without its schema can tell of."""

from __future__ import annotations

import shutil
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from jobplane.config import Config
from jobplane.control.access import PROGRAM, Access
from jobplane.control.problems import Problems
from jobplane.core.errors import SchemaOutOfDate
from jobplane.embedded import EmbeddedServer
from jobplane.server.app import make_app
from jobplane.store.postgres import migrate
from jobplane.store.postgres.calls.call import Role
from jobplane.store.postgres.settings import Settings
from jobplane.store.postgres.source import PACKAGED, load
from jobplane.store.sqlite.migrations import migrations
from tests.client import PostgresStore, SqliteStore, Store
from tests.conformance.backend import SqliteAudit
from tests.conftest import ROLES
from tests.migrations.cluster import Database, new_database
from tests.migrations.test_upgrade import SCHEMAS, restore

Behind = Callable[[], AbstractAsyncContextManager[tuple[Store, str]]]
NEWER = migrations()[-1][0] + 1


def one_behind(server: EmbeddedServer, scratch: Path) -> Database:
    """A database of an earlier release, with every later migration but the last."""
    database = new_database(server)
    restore(database, max(SCHEMAS))
    root = scratch / "sql"
    shutil.copytree(PACKAGED / "migrations", root / "migrations")
    (root / "migrations" / load().migrations[-1].name).unlink()
    migrate.up(database.url(), root=root)
    return database


@pytest.fixture(params=["postgres", "sqlite"])
def behind(request: pytest.FixtureRequest, tmp_path: Path) -> Behind:
    """A store on a database with another schema than the program has, and what the problem says.

    A program brings a file of an older one to its own schema, so a file is that of a newer program.
    """
    server: EmbeddedServer | None = request.getfixturevalue("server") if request.param == "postgres" else None

    @asynccontextmanager
    async def postgres() -> AsyncGenerator[tuple[Store, str]]:
        assert server is not None
        database, wanted = one_behind(server, tmp_path), load().number
        urls: dict[Role, str] = {role: database.url(role) for role in ROLES}
        detail = f"The database's schema is {wanted - 1} and this program needs {wanted}. Run `jobplane migrate up`."
        async with PostgresStore(Settings(urls=urls, allow_unsafe_durability=True)) as store:
            yield store, detail

    @asynccontextmanager
    async def sqlite() -> AsyncGenerator[tuple[Store, str]]:
        path = tmp_path / "jobs.db"
        async with SqliteStore(path) as before:
            await before.queues()
        SqliteAudit(path).peek(f"insert into jobplane_migrations values ({NEWER}, '{NEWER:04}_later.sql', 0)")
        async with SqliteStore(path) as store:
            yield store, f"The file has schema {NEWER}, but this program knows only {NEWER - 1}. Use a newer jobplane."

    return postgres if server else sqlite


async def test_another_schema_is_the_one_problem(behind: Behind) -> None:
    async with behind() as (store, detail):
        with pytest.raises(SchemaOutOfDate):
            await store.queues()
        [problem] = await Problems(Access(store)).list()

    assert (problem.code, problem.kind, problem.severity) == ("schema_behind", "failing", "critical")
    assert problem.detail == detail


async def test_a_server_tells_a_program_on_the_database_of_it(behind: Behind) -> None:
    """Without a key, as the command line asks on a database URL: a key cannot be looked up there."""
    async with behind() as (store, detail):
        app = make_app(Config(), store, caller=PROGRAM)
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://test") as client:
            found = (await client.get("/api/v1/problems")).json()["items"]

    assert [(each["code"], each["detail"]) for each in found] == [("schema_behind", detail)]


async def test_a_database_that_is_migrated_has_no_such_problem(server: EmbeddedServer, tmp_path: Path) -> None:
    database = one_behind(server, tmp_path)

    migrate.up(database.url())

    urls: dict[Role, str] = {role: database.url(role) for role in ROLES}
    async with PostgresStore(Settings(urls=urls, allow_unsafe_durability=True)) as store:
        assert "schema_behind" not in {each.code for each in await Problems(Access(store)).list()}
