"""The standard library's sqlite3: a connection that an application lends, and a store that uses nothing else."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from jobplane.core.errors import Invalid
from jobplane.core.model import DEFAULT_TENANT, NewJob, Outcome
from jobplane.store.sqlite import statements
from jobplane.store.sqlite.migrations import migrations
from jobplane.store.sqlite.verbs import facts
from jobplane.store.verbs.jobs import Cancel, Enqueue, GetJobs, RetryJobs
from tests.client import BlockingSqliteStore, SqliteStore
from tests.leases import settlement

JOB = NewJob(definition="d", payload={"n": 1}, dedupe_key="k", idempotency_key="i")


class Lent:
    """What a store sees of a connection that is not its own."""

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn

    def rows(self, statement: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        return self._conn.execute(statement, parameters).fetchall()


class LentAsync(Lent):
    async def rows(  # pyright: ignore[reportIncompatibleMethodOverride] the same for a loop
        self, statement: str, parameters: Sequence[Any]
    ) -> list[tuple[Any, ...]]:
        return super().rows(statement, parameters)


@pytest.fixture
def store(path: Path) -> Generator[BlockingSqliteStore]:
    with BlockingSqliteStore(path, driver="stdlib") as store:
        store.put_definitions([{"key": "d", "kind": "python"}])
        yield store


@pytest.fixture
def app(path: Path) -> Generator[sqlite3.Connection]:
    conn = sqlite3.connect(path, isolation_level=None)
    conn.execute("create table if not exists orders (id integer)")
    yield conn
    conn.close()


def test_what_is_rolled_back_never_was(store: BlockingSqliteStore, app: sqlite3.Connection) -> None:
    app.execute("begin immediate")
    app.execute("insert into orders values (1)")
    [answer] = store.run(Enqueue(DEFAULT_TENANT, [JOB]), conn=Lent(app))
    assert answer.created
    app.execute("rollback")

    assert store.list_jobs(DEFAULT_TENANT).items == []
    assert store.enqueue(DEFAULT_TENANT, [JOB])[0].created


def test_what_is_committed_is_there_with_the_applications_row(
    store: BlockingSqliteStore, app: sqlite3.Connection
) -> None:
    app.execute("begin immediate")
    app.execute("insert into orders values (1)")
    [answer] = store.run(Enqueue(DEFAULT_TENANT, [JOB]), conn=Lent(app))
    [again] = store.run(Enqueue(DEFAULT_TENANT, [JOB]), conn=Lent(app))
    assert answer.job_id
    assert store.get_jobs(DEFAULT_TENANT, [answer.job_id]) == [], "nobody else sees it yet"
    [mine] = store.run(GetJobs(DEFAULT_TENANT, [answer.job_id]), conn=Lent(app))
    app.execute("commit")

    assert (again.outcome, again.job_id) == ("existing", answer.job_id)
    assert store.get_jobs(DEFAULT_TENANT, [answer.job_id]) == [mine]
    assert [lease.payload for lease in store.claim("default", "w", limit=9).leases] == [{"n": 1}]


def test_a_savepoint_takes_back_its_own_jobs(store: BlockingSqliteStore, app: sqlite3.Connection) -> None:
    app.execute("begin immediate")
    store.run(Enqueue(DEFAULT_TENANT, [NewJob(definition="d", correlation_id="kept")]), conn=Lent(app))
    app.execute("savepoint s")
    store.run(Enqueue(DEFAULT_TENANT, [NewJob(definition="d", correlation_id="lost")]), conn=Lent(app))
    app.execute("rollback to s")
    app.execute("commit")

    assert [job.correlation_id for job in store.list_jobs(DEFAULT_TENANT).items] == ["kept"]


def test_cancel_and_retry_belong_to_the_callers_transaction(
    store: BlockingSqliteStore, app: sqlite3.Connection
) -> None:
    [answer] = store.enqueue(DEFAULT_TENANT, [JOB])
    assert answer.job_id
    for end in ("rollback", "commit"):
        app.execute("begin immediate")
        assert store.run(Cancel(DEFAULT_TENANT, [answer.job_id]), conn=Lent(app))[0].outcome == "canceled"
        app.execute(end)
    assert store.get_jobs(DEFAULT_TENANT, [answer.job_id])[0].status == "canceled"

    app.execute("begin immediate")
    assert store.run(RetryJobs(DEFAULT_TENANT, [answer.job_id]), conn=Lent(app))[0].outcome == "queued"
    app.execute("commit")
    assert store.get_jobs(DEFAULT_TENANT, [answer.job_id])[0].status == "queued"


def test_a_process_has_one_copy_of_sqlite(path: Path, app: sqlite3.Connection) -> None:
    """Closing a file in one copy drops the locks that the other has on it."""
    with BlockingSqliteStore(path) as store, pytest.raises(Invalid, match="stdlib"):
        store.run(Enqueue(DEFAULT_TENANT, [JOB]), conn=Lent(app))


def test_the_first_use_of_a_file_may_be_on_a_lent_connection(path: Path, app: sqlite3.Connection) -> None:
    with BlockingSqliteStore(path, driver="stdlib") as store:
        app.execute("begin immediate")
        assert store.run(GetJobs(DEFAULT_TENANT, []), conn=Lent(app)) == []
        app.execute("commit")

        assert [queue.name for queue in store.queues()] == ["default", "system"]


async def test_a_program_with_a_loop_lends_its_connection_too(path: Path, app: sqlite3.Connection) -> None:
    async with SqliteStore(path, driver="stdlib") as store:
        await store.put_definitions([{"key": "d", "kind": "python"}])
        app.execute("begin immediate")
        [answer] = await store.run(Enqueue(DEFAULT_TENANT, [JOB]), conn=LentAsync(app))
        app.execute("rollback")

        assert answer.job_id
        assert await store.get_jobs(DEFAULT_TENANT, [answer.job_id]) == []


def test_the_whole_life_of_a_job_with_the_standard_library(store: BlockingSqliteStore, tmp_path: Path) -> None:
    [answer] = store.enqueue(DEFAULT_TENANT, [JOB])
    assert answer.job_id
    [lease] = store.claim("default", "w").leases
    store.settle([settlement(lease=lease, outcome=Outcome.FAILED, retry_after=0)])
    assert store.promote() == 1
    [lease] = store.claim("default", "w").leases
    store.settle([settlement(lease=lease, outcome=Outcome.SUCCEEDED, result=[1, "ü"])])

    assert store.result(DEFAULT_TENANT, answer.job_id) == [1, "ü"]
    store.vacuum()
    store.backup(tmp_path / "copy.db")
    with BlockingSqliteStore(tmp_path / "copy.db", driver="stdlib") as copy:
        assert copy.summary(DEFAULT_TENANT).succeeded == 1


def test_every_statement_is_understood_by_the_standard_librarys_sqlite(store: BlockingSqliteStore, path: Path) -> None:
    """Which may be as old as 3.40, while apsw brings the newest."""
    store.close()
    conn = sqlite3.connect(path)
    folders = {folder: statements.root().joinpath(folder) for folder in ("verbs", "statements")}
    found = [
        statement
        for files in folders.values()
        for file in files.iterdir()
        for name, statement in statements.parse(file.read_text("utf-8")).items()
        if (file.name, name) != ("schema.sql", "ledger")
    ]

    for statement in (*found, facts.ONE, facts.PLAIN, facts.ANY):
        conn.execute("explain " + statement, [None] * statement.count("?"))

    assert len(found) > 100
    conn.close()


def test_a_migration_is_taken_apart_into_whole_statements() -> None:
    for _, name, parts in migrations():
        assert all(sqlite3.complete_statement(part.rstrip(";") + ";") for part in parts), name
        assert all(part.startswith(("create ", "insert ", "alter ", "drop ", "update ")) for part in parts), name
