"""A database that tests use one after the other: none of them finds what another has written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import psycopg
import pytest

from jobplane.core.keys import mint
from jobplane.core.sessions import new_token
from tests.clock import START, Clock, clocked
from tests.conformance.backend import PostgresBackend
from tests.conformance.factory import Factory
from tests.conformance.scene import Scene
from tests.conformance.test_fires import schedule
from tests.database import Cluster, Database
from tests.rewinding import Rewinder, Shelf

Contents = dict[str, Sequence[tuple[Any, ...]]]
# Of these the first two never change; a verb empties the third before it ends, and a test does not fill the others.
LEFT_OUT: Final = {"installation", "migrations", "new_ids", "upkeep", "logs_1", "logs_2"}


def contents(db: Database) -> Contents:
    """The rows of each table, and where each sequence stands."""
    tables = db.peek("select tablename from pg_tables where schemaname = 'jobplane'")
    rows: Contents = {table: sorted(db.peek(f"select t::text from jobplane.{table} t")) for (table,) in tables}
    with db.connect("owner") as owner:
        return rows | {"sequences": owner.execute("select sequencename, last_value from pg_sequences").fetchall()}


async def use(db: Database) -> None:
    """Write to every table."""
    clock, backend = Clock.take_over(db), PostgresBackend(db)
    async with backend.open() as store, backend.open_worker_store() as worker_store:
        make = await Factory.cast(store)
        await Scene.set(store, worker_store, make, clock)
        key = mint()
        await store.create_key(key.key_id, key.digest, "viewer", make.alice)
        await store.create_session(new_token("jps").digest, 60, 60, key.key_id, key.digest)
        await store.create_session_link(new_token("jpl").digest, "key", key.key_id)
        await store.reserve_reply(make.alice, "enqueueJob", "k", b"f" * 32)
        trigger = await store.create_trigger(make.alice, schedule())
        await store.fire_trigger(make.alice, trigger.id, 1, "manual", [START], [{}])
        await store.put_queues(["to-go"])
        await store.delete_queues(["to-go"])
        await store.pause_queues(["default"])
        await store.pause_tenants([make.alice])
        await store.chain_audit()


async def test_what_was_written_is_taken_back(cluster: Cluster) -> None:
    with cluster.fresh(clocked(cluster)) as used, cluster.fresh(clocked(cluster)) as unused:
        rewinder, before = Rewinder(used), contents(unused)
        await use(used)
        after = contents(used)

        assert rewinder.rewind()

        assert contents(used) == before
        assert {name for name in before if after[name] == before[name]} == LEFT_OUT


def test_a_schema_that_was_changed_is_not_used_again(cluster: Cluster) -> None:
    with cluster.fresh() as db:
        rewinder = Rewinder(db)
        assert rewinder.rewind()

        db.own("grant delete on jobplane.audit_log to jobplane_engine")

        assert not rewinder.rewind()


@pytest.mark.parametrize(
    "change",
    [
        "alter function jobplane.clock() cost 7",
        "alter table jobplane.queues set (fillfactor = 50)",
        "grant select on jobplane.queues to jobplane_stranger",
        "create schema more",
        "analyze jobplane.queues",
    ],
)
def test_whoever_has_changed_it(cluster: Cluster, change: str) -> None:
    with cluster.fresh() as db:
        rewinder = Rewinder(db)
        db.connect("owner").execute(change.encode())

        assert not rewinder.rewind()


def test_the_next_test_has_the_same_database_and_nobody_is_connected_to_it(shelf: Shelf, cluster: Cluster) -> None:
    with shelf.lent(cluster.template) as first:
        first.peek("insert into jobplane.limits (limit_key, used) values ('k', 0)")
        left = psycopg.connect(first.url("app"))

    with shelf.lent(cluster.template) as second:
        assert second.name == first.name
        assert second.peek("select 1 from jobplane.limits") == []
        with pytest.raises(psycopg.OperationalError):
            left.execute("select 1")


def test_but_not_one_that_was_changed(shelf: Shelf, cluster: Cluster) -> None:
    with shelf.lent(cluster.template) as first:
        first.own("create table jobplane.more (id int)")

    with shelf.lent(cluster.template) as second:
        assert second.name != first.name


def test_nor_is_a_database_that_has_grown(cluster: Cluster) -> None:
    with cluster.fresh() as db:
        rewinder = Rewinder(db)
        rows = "select repeat('k', 900) || n, 0 from generate_series(1, 5000) n"
        db.peek(f"insert into jobplane.limits (limit_key, used) {rows}")

        assert not rewinder.rewind()
        assert db.peek("select 1 from jobplane.limits") == []
