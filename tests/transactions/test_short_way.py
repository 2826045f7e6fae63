"""One plain job on a lent connection goes a shorter way than a batch, and nobody can tell from what comes of it."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import psycopg
import pytest

from jobplane.api.transactions import lend
from jobplane.core.model import DEFAULT_TENANT, Enqueued, Job, NewJob
from jobplane.store.verbs.jobs import Enqueue
from tests.client import BlockingPostgresStore
from tests.database import Database
from tests.transactions.blocking_stacks import app_url
from tests.transactions.jobs import NOBODY, STRANGE, claimable, ids, new

ONE: dict[str, NewJob] = {
    "plain": NewJob(definition="d", payload={"text": STRANGE}),
    "large": NewJob(definition="d", payload={"text": "x" * 60_000}),
    "unknown": NewJob(definition='no "body"'),
    "inactive": NewJob(definition="off"),
    "huge": NewJob(definition="d", payload={"text": "x" * 70_000}),
}
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
Connection = psycopg.Connection[tuple[Any, ...]]


@pytest.fixture
def conn(db: Database, blocking: BlockingPostgresStore) -> Generator[Connection]:
    blocking.put_definitions([{"key": "off", "kind": "python", "active": False}])
    with psycopg.connect(app_url(db)) as conn:
        yield conn


@pytest.mark.parametrize("name", ONE)
def test_one_job_is_answered_as_it_would_be_in_a_batch(
    blocking: BlockingPostgresStore, conn: Connection, name: str
) -> None:
    [alone] = blocking.run(Enqueue(DEFAULT_TENANT, [ONE[name]]), conn=lend(conn))
    [beside, _] = blocking.run(Enqueue(DEFAULT_TENANT, [ONE[name], new()]), conn=lend(conn))
    conn.commit()

    assert told(alone) == told(beside)
    assert stored(blocking, alone) == stored(blocking, beside)


def test_a_quota_refuses_one_job_as_a_batch(blocking: BlockingPostgresStore, conn: Connection) -> None:
    tenant = blocking.create_tenant("small", max_pending=1).tenant_id
    blocking.run(Enqueue(tenant, [new()]), conn=lend(conn))

    [answer] = blocking.run(Enqueue(tenant, [new()]), conn=lend(conn))

    assert told(answer)[1:3] == ("refused", "quota_exceeded")


def test_each_stands_in_line_as_without_conn(db: Database, blocking: BlockingPostgresStore, conn: Connection) -> None:
    other = blocking.create_tenant("other").tenant_id
    for jobs in ([new()], [new(), new()], [new()], [new()]):
        blocking.run(Enqueue(DEFAULT_TENANT, jobs), conn=lend(conn))
        blocking.enqueue(other, jobs)
    conn.commit()

    assert tags(db, DEFAULT_TENANT) == tags(db, other)
    assert len(set(tags(db, other))) == 5


def test_an_idle_worker_hears_of_it_and_finds_it(
    db: Database, blocking: BlockingPostgresStore, conn: Connection
) -> None:
    with psycopg.connect(db.url("worker", direct=True), autocommit=True) as worker:
        worker.execute("listen jobplane_wake")
        queues = blocking.want_work(["default"])
        found = ids(blocking.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(conn)))
        conn.commit()
        heard = [note.payload for note in worker.notifies(timeout=10, stop_after=1)]

    assert heard == [str(queues["default"])]
    assert claimable(blocking) == set(found)


def told(answer: Enqueued) -> tuple[bool, str, str | None, str | None]:
    return answer.job_id is None, answer.outcome, answer.error_code, answer.error


def tags(db: Database, tenant: UUID) -> list[int]:
    return [tag for (tag,) in db.peek("select tag from jobplane.ready where tenant_id = %s order by seq", tenant)]


def stored(store: BlockingPostgresStore, answer: Enqueued) -> list[Job]:
    """The job without what no two have in common."""
    wanted = [answer.job_id] if isinstance(answer.job_id, UUID) else []
    found = store.get_jobs(DEFAULT_TENANT, wanted)
    assert all(job.scheduled_for == job.created_at for job in found)
    return [replace(job, id=NOBODY, created_at=NOON, scheduled_for=NOON, updated_at=NOON) for job in found]
