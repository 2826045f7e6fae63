"""The same through the Python API: what is refused is raised with its type, and the transaction goes on."""

from __future__ import annotations

from collections.abc import Generator

import asyncpg
import psycopg
import pytest
import sqlalchemy
from sqlalchemy.orm import Session

from jobplane import IdempotencyMismatch, Invalid, JobNotFound, Jobplane, UnknownDefinition
from jobplane.core.model import DEFAULT_TENANT
from tests.client import BlockingPostgresStore, PostgresStore
from tests.database import Database
from tests.transactions.blocking_stacks import app_url
from tests.transactions.jobs import committed


@pytest.fixture
def jp(blocking: BlockingPostgresStore) -> Generator[Jobplane]:
    with Jobplane(store=blocking) as plane:
        yield plane


def test_a_session_goes_on_after_what_was_refused(jp: Jobplane, db: Database, blocking: BlockingPostgresStore) -> None:
    engine = sqlalchemy.create_engine(app_url(db, "+psycopg2"))
    with Session(engine) as session:
        kept = jp.enqueue("d", {"n": 1}, conn=session, idempotency_key="i")
        with pytest.raises(IdempotencyMismatch):
            jp.enqueue("d", {"n": 2}, conn=session, idempotency_key="i")
        with pytest.raises(UnknownDefinition):
            jp.enqueue("no such", {}, conn=session)
        same = jp.enqueue("d", {"n": 1}, conn=session, idempotency_key="i")
        session.commit()
    engine.dispose()

    assert (same.id, same.outcome) == (kept.id, "existing")
    assert committed(blocking) == {kept.id}


def test_get_cancel_and_retry_of_a_job_that_nobody_else_can_see(jp: Jobplane, db: Database) -> None:
    with psycopg.connect(app_url(db)) as conn:
        job = jp.enqueue("d", conn=conn)

        assert jp.get(job, conn=conn).tenant_id == DEFAULT_TENANT
        assert jp.cancel(job, conn=conn).status == "canceled"
        assert jp.retry(job, conn=conn).status == "queued"
        with pytest.raises(JobNotFound):
            jp.get(job)
        conn.rollback()
        with pytest.raises(JobNotFound):
            jp.get(job, conn=conn)


async def test_the_async_twins_take_a_connection_too(
    db: Database, blocking: BlockingPostgresStore, store: PostgresStore
) -> None:
    jp = Jobplane(store=blocking, async_store=store)
    conn = await asyncpg.connect(app_url(db))
    async with conn.transaction():
        job = await jp.enqueue_async("d", conn=conn)
        assert (await jp.get_async(job, conn=conn)).status == "queued"
        assert (await jp.cancel_async(job, conn=conn)).status == "canceled"
        assert (await jp.retry_async(job, conn=conn)).status == "queued"
        with pytest.raises(Invalid, match="async twin"):
            jp.get(job, conn=conn)
        assert committed(blocking) == set()
    await conn.close()

    assert committed(blocking) == {job.id}
