"""The standard library's sqlite3: jobs in the application's own file, in its own transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from pathlib import Path

import psycopg
import pytest
import sqlalchemy
from psycopg import pq
from sqlalchemy.orm import Session

from jobplane.api.transactions import lend, lend_async
from jobplane.core.errors import Invalid, StoreBusy, TenantNotFound
from jobplane.core.model import DEFAULT_TENANT, JobStatus
from jobplane.store.verbs.jobs import Cancel, Enqueue, GetJobs, RetryJobs
from tests.client import BlockingSqliteStore, SqliteStore
from tests.database import Database
from tests.transactions.blocking_stacks import app_url
from tests.transactions.jobs import FULL, NOBODY, ids, new
from tests.transactions.site import atomic, serve, set_rollback


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "shop.db"


@pytest.fixture
def store(path: Path) -> Generator[BlockingSqliteStore]:
    with BlockingSqliteStore(path, driver="stdlib") as store:
        store.put_definitions([{"key": "d", "kind": "python"}])
        yield store


@pytest.fixture
def conn(path: Path, store: BlockingSqliteStore) -> Generator[sqlite3.Connection]:
    conn = sqlite3.connect(path, timeout=0.1)
    conn.execute("create table orders (id integer primary key)")
    yield conn
    conn.close()


def test_a_commit_makes_the_job_and_the_data_exist(conn: sqlite3.Connection, store: BlockingSqliteStore) -> None:
    conn.execute("insert into orders values (7)")
    made = ids(store.run(Enqueue(DEFAULT_TENANT, [FULL, new()]), conn=lend(conn)))
    lent = store.run(GetJobs(DEFAULT_TENANT, made), conn=lend(conn))
    assert store.get_jobs(DEFAULT_TENANT, made) == []

    conn.commit()

    assert store.get_jobs(DEFAULT_TENANT, made) == lent
    assert [lease.job_id for lease in store.claim("default", "w1", limit=5).leases] == made[1:]


def test_a_rollback_means_that_it_never_existed(conn: sqlite3.Connection, store: BlockingSqliteStore) -> None:
    made = ids(store.run(Enqueue(DEFAULT_TENANT, [new(dedupe_key="k")]), conn=lend(conn)))

    conn.rollback()

    assert store.get_jobs(DEFAULT_TENANT, made) == []
    assert store.enqueue(DEFAULT_TENANT, [new(dedupe_key="k")])[0].created


def test_a_savepoint_that_is_rolled_back_takes_its_own_job_alone(
    conn: sqlite3.Connection, store: BlockingSqliteStore
) -> None:
    kept = ids(store.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(conn)))
    conn.execute("savepoint mine")
    gone = ids(store.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(conn)))
    conn.execute("rollback to mine")

    conn.commit()

    assert [job.id for job in store.get_jobs(DEFAULT_TENANT, kept + gone)] == kept


def test_a_duplicate_and_an_error_leave_the_transaction_usable(
    conn: sqlite3.Connection, store: BlockingSqliteStore
) -> None:
    [there] = ids(store.enqueue(DEFAULT_TENANT, [new(dedupe_key="k", idempotency_key="i")]))

    same, other = store.run(
        Enqueue(DEFAULT_TENANT, [new(dedupe_key="k"), new(2, idempotency_key="i")]), conn=lend(conn)
    )
    with pytest.raises(TenantNotFound):
        store.run(Enqueue(NOBODY, [new()]), conn=lend(conn))
    [kept] = ids(store.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(conn)))
    conn.commit()

    assert (same.job_id, same.outcome, other.error_code) == (there, "existing", "idempotency_mismatch")
    assert [job.id for job in store.get_jobs(DEFAULT_TENANT, [kept])] == [kept]


def test_a_call_that_fails_half_way_leaves_no_half_behind(conn: sqlite3.Connection, store: BlockingSqliteStore) -> None:
    conn.execute("create temp trigger full before insert on jobplane_ready begin select raise(fail, 'as asked'); end")
    conn.execute("insert into orders values (7)")

    with pytest.raises(Invalid, match="as asked"):
        store.run(Enqueue(DEFAULT_TENANT, [new(dedupe_key="k"), new(2)]), conn=lend(conn))
    conn.commit()

    assert conn.execute("select id from orders").fetchall() == [(7,)]
    assert conn.execute("select count(*) from jobplane_jobs").fetchone() == (0,)
    assert conn.execute("select count(*) from jobplane_dedupe").fetchone() == (0,)


def test_cancel_and_retry_see_what_is_not_committed_yet(conn: sqlite3.Connection, store: BlockingSqliteStore) -> None:
    [job_id] = ids(store.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(conn)))

    [canceled] = store.run(Cancel(DEFAULT_TENANT, [job_id], reason="late"), conn=lend(conn))
    [retried] = store.run(RetryJobs(DEFAULT_TENANT, [job_id], max_attempts=5), conn=lend(conn))
    conn.commit()

    assert (canceled.status, retried.status) == (JobStatus.CANCELED, JobStatus.QUEUED)
    assert store.get_jobs(DEFAULT_TENANT, [job_id])[0].max_attempts == 5


@pytest.mark.parametrize("level", ["", "DEFERRED", "IMMEDIATE", "EXCLUSIVE"])
def test_the_connection_keeps_its_habits(conn: sqlite3.Connection, store: BlockingSqliteStore, level: str) -> None:
    conn.isolation_level = level  # pyright: ignore[reportAttributeAccessIssue]
    conn.row_factory = sqlite3.Row
    conn.text_factory = bytes
    [job_id] = ids(store.run(Enqueue(DEFAULT_TENANT, [FULL]), conn=lend(conn)))
    [job] = store.run(GetJobs(DEFAULT_TENANT, [job_id]), conn=lend(conn))

    assert job.payload == FULL.payload
    assert (conn.isolation_level, conn.row_factory, conn.text_factory) == (level, sqlite3.Row, bytes)
    assert conn.in_transaction
    conn.rollback()
    assert store.get_jobs(DEFAULT_TENANT, [job_id]) == []


def test_a_connection_that_commits_each_statement_has_to_begin_first(
    conn: sqlite3.Connection, store: BlockingSqliteStore
) -> None:
    conn.isolation_level = None
    with pytest.raises(Invalid, match="BEGIN IMMEDIATE"):
        store.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(conn))

    conn.execute("begin immediate")
    made = ids(store.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(conn)))
    conn.execute("commit")

    assert [job.id for job in store.get_jobs(DEFAULT_TENANT, made)] == made


async def test_a_connection_to_postgresql_cannot_reach_jobs_in_a_file(
    path: Path, store: BlockingSqliteStore, db: Database
) -> None:
    with psycopg.connect(app_url(db)) as other:
        with pytest.raises(Invalid, match="connection to postgresql, but the jobs are in a SQLite file"):
            store.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(other))
        assert other.info.transaction_status == pq.TransactionStatus.IDLE
    async with (
        SqliteStore(path, driver="stdlib") as on_loop,
        await psycopg.AsyncConnection.connect(app_url(db)) as asynchronous,
    ):
        with pytest.raises(Invalid, match="connection to postgresql"):
            await on_loop.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend_async(asynchronous))


@pytest.mark.parametrize("name", ["other.db", ":memory:"])
def test_a_connection_to_another_file_is_refused_and_leaves_nothing_there(
    tmp_path: Path, store: BlockingSqliteStore, name: str
) -> None:
    other = sqlite3.connect(name if name == ":memory:" else tmp_path / name)
    with pytest.raises(Invalid, match=r"conn is open on .*, but the jobs are in .*shop\.db"):
        store.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(other))

    assert other.execute("select count(*) from sqlite_master").fetchone() == (0,)
    other.close()


def test_another_writer_is_a_busy_store(path: Path, conn: sqlite3.Connection, store: BlockingSqliteStore) -> None:
    other = sqlite3.connect(path)
    other.execute("begin immediate")

    with pytest.raises(StoreBusy) as caught:
        store.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(conn))

    assert isinstance(caught.value.__cause__, sqlite3.OperationalError)
    other.close()


def test_a_session_of_sqlalchemy_lends_its_sqlite_connection(path: Path, store: BlockingSqliteStore) -> None:
    engine = sqlalchemy.create_engine(f"sqlite:///{path}")
    with Session(engine) as session:
        kept = ids(store.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(session)))
        session.commit()
        gone = ids(store.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(session)))
        session.rollback()
    engine.dispose()

    assert [job.id for job in store.get_jobs(DEFAULT_TENANT, kept + gone)] == kept


def test_a_django_database_lends_its_sqlite_connection(path: Path, store: BlockingSqliteStore) -> None:
    with serve(f"sqlite:///{path}"):
        with atomic():
            kept = ids(store.run(Enqueue(DEFAULT_TENANT, [FULL]), conn=lend("default")))
        with atomic():
            gone = ids(store.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend("default")))
            set_rollback(True)
        with pytest.raises(Invalid, match="BEGIN IMMEDIATE"):
            store.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend("default"))

    assert [job.id for job in store.get_jobs(DEFAULT_TENANT, kept + gone)] == kept


async def test_an_event_loop_lends_the_connection_of_its_thread(path: Path, conn: sqlite3.Connection) -> None:
    async with SqliteStore(path, driver="stdlib") as store:
        made = ids(await store.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend_async(conn)))
        assert await store.get_jobs(DEFAULT_TENANT, made) == []

        conn.commit()

        assert [job.id for job in await store.get_jobs(DEFAULT_TENANT, made)] == made
