"""A snapshot that is held open for five minutes is reported, whoever holds it."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Any

import psycopg
import pytest

from jobplane.control.snapshots import Snapshots
from jobplane.control.upkeep import Upkeep
from jobplane.core.model import DEFAULT_TENANT, HeldSnapshot, NewJob
from tests.client import PostgresStore
from tests.database import Database
from tests.worker.stage import until_async

Connection = psycopg.Connection[tuple[Any, ...]]


@dataclass
class Watch:
    """The upkeep of a long-lived process, its clock, and what it has warned of."""

    store: PostgresStore
    caplog: pytest.LogCaptureFixture
    now: list[float] = field(default_factory=lambda: [1000.0])

    def __post_init__(self) -> None:
        self._upkeep = Upkeep(self.store, by="w", clock=lambda: self.now[0])

    async def pass_(self, seconds: float) -> list[dict[str, Any]]:
        """What it warns of while so much time passes and jobs come and go."""
        self.caplog.clear()
        ends_at = self.now[0] + seconds
        while self.now[0] < ends_at:
            await self.store.enqueue(DEFAULT_TENANT, [NewJob(definition="report")])
            await self._upkeep.run_once()
            self.now[0] += 60
        facts = [getattr(record, "facts", {}) for record in self.caplog.records]
        return [each for each in facts if each.get("event") == "snapshot_held"]

    async def sees(self, session: Connection) -> int:
        """The pid of a session, once the database says that it holds a snapshot.

        While a transaction of another test is as old, every new snapshot reaches back to that one too.
        """
        pid = session.info.backend_pid

        async def is_seen() -> bool:
            await self.store.enqueue(DEFAULT_TENANT, [NewJob(definition="report")])
            return pid in [each.pid for each in await self.store.held_snapshots()]

        await until_async(is_seen)
        return pid

    async def of(self, held: dict[str, Any], seconds: float) -> list[dict[str, Any]]:
        """The warnings with these facts: other tests may keep transactions open on the same server."""
        return [each for each in await self.pass_(seconds) if held.items() <= each.items()]


@pytest.fixture
async def watch(store: PostgresStore, caplog: pytest.LogCaptureFixture) -> Watch:
    await store.put_definitions([{"key": "report", "kind": "python"}])
    caplog.set_level(logging.WARNING)
    return Watch(store, caplog)


def _reads(db: Database) -> Connection:
    """A stranger whose report takes long."""
    conn = psycopg.connect(db.url("stranger", direct=True))
    conn.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    conn.execute("select 1")
    return conn


async def test_a_snapshot_that_a_stranger_holds_is_reported_after_five_minutes(watch: Watch, db: Database) -> None:
    with _reads(db) as stranger:
        held = {"pid": await watch.sees(stranger), "login": "jobplane_stranger"}
        await watch.pass_(60)

        early = await watch.of(held, 240)
        [warning] = await watch.of(held, 60)

    assert early == []
    assert (warning["seconds"], warning["worker_id"]) == (300, "w")
    assert f'Session {held["pid"]} of login "jobplane_stranger"' in watch.caplog.text


async def test_it_is_reported_once_an_hour_and_each_session_by_itself(watch: Watch, db: Database) -> None:
    with _reads(db) as first:
        one = {"pid": await watch.sees(first)}
        assert len(await watch.of(one, 420)) == 1
        with _reads(db) as second:
            other = {"pid": await watch.sees(second)}
            assert len(await watch.of(other, 420)) == 1
        assert await watch.of(one, 2700) == []
        assert [warning["seconds"] for warning in await watch.of(one, 600)] == [3900]


async def test_short_transactions_of_one_session_are_none(watch: Watch, db: Database) -> None:
    with psycopg.connect(db.url("stranger", direct=True), autocommit=True) as stranger:
        pid, warnings = stranger.info.backend_pid, list[Any]()
        for _ in range(10):
            with stranger.transaction():
                stranger.execute("select 1")
                warnings += await watch.of({"pid": pid}, 60)

    assert warnings == []


async def test_an_open_transaction_that_has_written_is_reported_without_a_snapshot(watch: Watch, db: Database) -> None:
    with psycopg.connect(db.url("owner", direct=True)) as conn:
        conn.execute("create temporary table written (n int)")
        held = {"pid": conn.info.backend_pid, "login": "jobplane_owner"}

        assert len(await watch.of(held, 420)) == 1


async def test_a_session_that_has_written_and_reads_an_old_snapshot_is_reported_once(
    watch: Watch, db: Database
) -> None:
    with psycopg.connect(db.url("owner", direct=True)) as conn:
        conn.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        conn.execute("select 1")
        await watch.pass_(60)
        conn.execute("create temporary table written (n int)")

        assert len(await watch.of({"pid": conn.info.backend_pid}, 420)) == 1


async def test_who_waits_behind_an_open_transaction_is_not_blamed_for_it(
    watch: Watch, store: PostgresStore, db: Database
) -> None:
    with psycopg.connect(db.url("owner", direct=True)) as writer, _reads(db) as reader:
        writer.execute("create temporary table written (n int)")
        blamed = {writer.info.backend_pid, reader.info.backend_pid}
        for _ in range(20):  # a transaction of another test may have been older, and have ended since
            reader.rollback()
            reader.execute("select 1")  # its snapshot is as new as any can be now
            blamed &= {each.pid for each in await store.held_snapshots()}

        assert blamed == {writer.info.backend_pid}


async def test_a_snapshot_in_another_database_keeps_nothing_here(store: PostgresStore, db: Database) -> None:
    await store.put_definitions([{"key": "report", "kind": "python"}])
    with psycopg.connect(db.url("stranger", direct=True), dbname="postgres") as elsewhere:
        elsewhere.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        elsewhere.execute("select 1")
        await store.enqueue(DEFAULT_TENANT, [NewJob(definition="report")])

        assert elsewhere.info.backend_pid not in [each.pid for each in await store.held_snapshots()]


async def test_a_prepared_transaction_is_reported_by_its_name(watch: Watch, db: Database) -> None:
    name = f"left by {db.name}"
    with psycopg.connect(db.url("app", direct=True)) as conn:
        conn.tpc_begin(name)
        conn.execute("select pg_current_xact_id()")
        conn.tpc_prepare()
        try:
            [warning] = await watch.of({"name": name}, 420)
        finally:
            conn.tpc_rollback()

    assert (warning["login"], warning.get("pid")) == ("jobplane_app", None)
    assert f'Prepared transaction "{name}"' in watch.caplog.text


def test_a_replication_slot_is_reported_by_its_name(caplog: pytest.LogCaptureFixture) -> None:
    snapshots, slot = Snapshots(None), HeldSnapshot("slot", None, None, "copy", "8")

    for now in (0.0, 300.0):
        snapshots.see([slot], now)

    assert 'Replication slot "copy"' in caplog.text
