"""A database of an earlier release, with its jobs in every state, comes to this program's schema and goes on."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Final, Protocol

import pytest

from jobplane.core.leases import Lease
from jobplane.core.model import DEFAULT_TENANT, Document, JobFilter, JobStatus
from jobplane.embedded import EmbeddedServer
from jobplane.store.postgres import migrate, script
from jobplane.store.postgres.calls.call import Role
from jobplane.store.postgres.settings import Settings
from jobplane.store.postgres.source import load
from tests.client import PostgresStore, SqliteStore, Store
from tests.conformance.backend import Audit, PostgresAudit, SqliteAudit
from tests.conftest import ROLES
from tests.database import Cluster
from tests.database import Database as Known
from tests.migrations.cluster import Database, new_database

DUMPS: Final = Path(__file__).parent / "dumps"
SCHEMAS: Final = (1, 7)
SQLITE: Final = {1: 1, 7: 4}  # the number of the same release in a file
Upgraded = tuple[Store, Audit]


class Upgrade(Protocol):
    """Restore the dump of a release, run a statement if one is given, and come to this program's schema."""

    def __call__(self, schema: int, statement: str = "", /) -> AbstractAsyncContextManager[Upgraded]: ...


def restore(database: Database, schema: int, statement: str = "") -> None:
    """As a superuser does with a dump."""
    with database.connect("dba") as conn:
        conn.execute("set role jobplane_root")
        conn.execute((DUMPS / f"postgres_{schema}.sql").read_bytes())
        conn.execute(statement.encode())


@pytest.fixture(params=["postgres", "sqlite"])
def upgrade(request: pytest.FixtureRequest, tmp_path: Path) -> Upgrade:
    server: EmbeddedServer | None = request.getfixturevalue("server") if request.param == "postgres" else None

    @asynccontextmanager
    async def postgres(schema: int, statement: str = "", /) -> AsyncGenerator[Upgraded]:
        assert server is not None
        database = new_database(server)
        restore(database, schema, statement)
        migrate.up(database.url())
        urls: dict[Role, str] = {role: database.url(role) for role in ROLES}
        with Known(Cluster(server, "", ""), database.name) as known:
            async with PostgresStore(Settings(urls=urls, allow_unsafe_durability=True)) as store:
                yield store, PostgresAudit(known)

    @asynccontextmanager
    async def sqlite(schema: int, statement: str = "", /) -> AsyncGenerator[Upgraded]:
        path = tmp_path / "jobs.db"
        with sqlite3.connect(path) as conn:
            conn.executescript((DUMPS / f"sqlite_{SQLITE[schema]}.sql").read_text("utf-8"))
            conn.execute(statement.replace("jobplane.", "jobplane_"))
        conn.close()
        async with SqliteStore(path) as store:
            yield store, SqliteAudit(path)

    return postgres if server else sqlite


async def counts(store: Store) -> dict[str, int]:
    found = (await store.list_jobs(DEFAULT_TENANT, JobFilter(), limit=100)).items
    return {status.value: sum(job.status == status for job in found) for status in JobStatus}


@pytest.mark.parametrize("schema", SCHEMAS)
async def test_every_job_is_where_it_was(upgrade: Upgrade, schema: int) -> None:
    async with upgrade(schema) as (store, audit):
        assert await counts(store) == {
            "queued": 3, "running": 2, "succeeded": 1, "failed": 1, "dead_letter": 1, "canceled": 1,
        }  # fmt: skip
        assert audit.faults() == []
        definitions = {d.key: (d.isolation, d.on_lost_contact, d.active) for d in await store.definitions()}
        assert definitions == {
            "d": ("shared", "stop", True), "few": ("shared", "stop", True), "off": ("shared", "stop", False),
        }  # fmt: skip


@pytest.mark.parametrize("schema", SCHEMAS)
async def test_a_definition_has_an_id_and_what_a_person_switched_off_stays_off(upgrade: Upgrade, schema: int) -> None:
    async with upgrade(schema) as (store, _):
        before = await store.definitions()
        assert len({definition.id for definition in before}) == 3
        assert {(d.revision, d.app, d.code, d.system, d.deleted_from_code) for d in before} == {
            (1, "", None, False, False)
        }
        is_code = {d.key: d.origin == "code" for d in before}["off"]
        assert {d.key: d.overridden for d in before} == {"d": [], "few": [], "off": ["active"] if is_code else []}
        documents: list[Document] = [{"key": key, "kind": "python", "origin": "code"} for key in ("d", "few", "off")]

        await store.sync_definitions("shop", "1", documents)
        await store.sync_definitions("shop", "1", [])
        await store.sync_definitions("shop", "1", documents)

        after = {d.key: d for d in await store.definitions()}
        assert (after["few"].active, after["few"].max_running, after["few"].queue) == (True, 1, "sync")
        assert after["off"].active is not is_code


@pytest.mark.parametrize("schema", SCHEMAS)
async def test_a_definition_that_only_said_it_was_a_command_is_unbound(upgrade: Upgrade, schema: int) -> None:
    async with upgrade(schema, "update jobplane.definitions set kind = 'command' where key = 'few'") as (store, audit):
        [found] = await store.definitions(["few"])
        assert (found.kind, found.command) == (None, None)

        made = await store.change_definition("few", {"command": {"executable": "/bin/true", "argv": []}})

        assert made.kind == "command"
        assert audit.faults() == []


@pytest.mark.parametrize("schema", SCHEMAS)
async def test_a_lease_from_before_has_begun_and_pays(upgrade: Upgrade, schema: int) -> None:
    async with upgrade(schema) as (store, audit):
        assert await store.reap() == 3

        jobs = (await store.list_jobs(DEFAULT_TENANT, JobFilter(), limit=100)).items
        [lost] = [job for job in jobs if job.progress == 0.25]
        assert (lost.status, lost.attempts, lost.error) == ("queued", 1, None)
        [attempt] = await store.attempts(DEFAULT_TENANT, lost.id)
        assert (attempt.status, attempt.reason) == ("lost", "lease_expired")
        assert sum(job.reason == "enough" for job in jobs) == 1
        assert audit.faults() == []


@pytest.mark.parametrize("schema", SCHEMAS)
async def test_what_waited_runs(upgrade: Upgrade, schema: int) -> None:
    async with upgrade(schema) as (store, audit):
        await store.put_definitions([{"key": "off", "active": True}], by_person=True)
        await store.promote()
        ended: list[Lease] = []
        for queue in ("default", "sync"):
            taken = await store.claim_encoded(queue, "w1", limit=50, lease_seconds=30)
            assert await store.renew_all(taken.leases, lease_seconds=30, begun=[t.seq for t in taken.leases]) == []
            ended += taken.leases

        assert await store.settle_all(ended) == []

        assert len(ended) == 5
        assert audit.faults() == []


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_program_of_the_version_before_reads_jobs_at_each_step(server: EmbeddedServer, schema: int) -> None:
    """Migrations and functions are separate transactions, and the program keeps its connection and its statement."""
    database = new_database(server)
    restore(database, schema)
    with database.connect("app") as conn:
        conn.execute("select set_config('jobplane.tenant_id', %s, false)", [str(DEFAULT_TENANT)])

        def read() -> list[tuple[object, ...]]:
            return conn.execute("select id, status, result, cursor from jobplane.list_jobs()", prepare=True).fetchall()

        before = read()
        with database.connect() as owner:
            for step in load().migrations[schema:]:
                if not step.transactional:  # it builds an index, and changes nothing that a program reads
                    continue
                with owner.transaction():
                    owner.execute(script.migration(step, "roles").encode())
        between = read()
        migrate.up(database.url())

        assert (len(before), between, read()) == (9, before, before)
