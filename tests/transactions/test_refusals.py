"""What cannot be lent is refused at once, with what to do instead."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from typing import Any

import asyncpg
import psycopg
import psycopg2
import pytest
import sqlalchemy
from psycopg_pool import ConnectionPool
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import Session, sessionmaker

from jobplane.api.transactions import lend, lend_async
from jobplane.core.errors import Invalid
from jobplane.core.model import DEFAULT_TENANT
from jobplane.store.verbs.jobs import Enqueue
from tests.client import BlockingPostgresStore
from tests.database import Database
from tests.transactions.blocking_stacks import app_url
from tests.transactions.jobs import new
from tests.transactions.site import serve


@pytest.mark.parametrize("strange", [None, 7, object(), b"default", {"conn": 1}, psycopg, psycopg.Connection])
def test_a_wrong_object_is_answered_with_what_is_supported(strange: object) -> None:
    with pytest.raises(Invalid, match=r"not a connection.*psycopg\.Connection.*SQLAlchemy Session.*Django.*sqlite3"):
        lend(strange)
    with pytest.raises(Invalid, match=r"not a connection.*psycopg\.AsyncConnection.*asyncpg.*AsyncSession"):
        lend_async(strange)


def test_what_gives_connections_is_not_one() -> None:
    engine = sqlalchemy.create_engine("postgresql+psycopg://nowhere/none")
    pool = ConnectionPool("host=nowhere", open=False)

    for source, advice in [
        (engine, r"engine\.begin\(\)"),
        (sessionmaker(engine), r"sessionmaker\.begin\(\)"),
        (pool, r"pool\.connection\(\)"),
        (pool.connection(), "with … as conn"),
    ]:
        with pytest.raises(Invalid, match=advice):
            lend(source)
    with pytest.raises(Invalid, match=r"engine\.begin\(\)"):
        lend_async(create_async_engine("postgresql+asyncpg://nowhere/none"))


async def test_the_wrong_kind_of_call_names_the_right_one(db: Database) -> None:
    engine = create_async_engine(app_url(db, "+asyncpg"))
    conn = await asyncpg.connect(app_url(db))
    asynchronous = await psycopg.AsyncConnection.connect(app_url(db))
    for lent in (conn, asynchronous, asynchronous.cursor(), AsyncSession(engine), engine.connect()):
        with pytest.raises(Invalid, match=r"is asynchronous.*async twin"):
            lend(lent)
    await asynchronous.close()
    await conn.close()

    with psycopg.connect(app_url(db)) as blocking:
        for lent in (blocking, blocking.cursor(), Session(), "default"):
            with pytest.raises(Invalid, match=r"is blocking.*to_thread"):
                lend_async(lent)


async def test_a_closed_connection_is_of_no_use(db: Database) -> None:
    conn = psycopg.connect(app_url(db))
    old = psycopg2.connect(app_url(db))
    file = sqlite3.connect(":memory:")
    engine = sqlalchemy.create_engine(app_url(db, "+psycopg"))
    with engine.connect() as core:
        pass
    for closing in (conn, old, file):
        closing.close()
    for closed in (conn, old, file, core):
        with pytest.raises(Invalid, match="is a closed"):
            lend(closed)
    engine.dispose()


async def test_a_connection_that_went_back_to_its_pool_is_of_no_use(db: Database) -> None:
    async with asyncpg.create_pool(app_url(db), min_size=1, max_size=1) as pool:
        async with pool.acquire() as conn:
            lend_async(conn)
        with pytest.raises(Invalid, match="is a closed"):
            lend_async(conn)
    plain = await asyncpg.connect(app_url(db))
    await plain.close()
    with pytest.raises(Invalid, match="is a closed"):
        lend_async(plain)


def test_a_connection_to_sqlite_cannot_reach_jobs_in_postgresql(blocking: BlockingPostgresStore) -> None:
    file = sqlite3.connect(":memory:")
    with Session(sqlalchemy.create_engine("sqlite://")) as session:
        for conn in (file, session):
            with pytest.raises(Invalid, match="connection to sqlite, but the jobs are in PostgreSQL"):
                blocking.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(conn))
    file.close()


def test_a_database_that_django_does_not_have(db: Database) -> None:
    with serve(app_url(db)), pytest.raises(Invalid, match=r'no database "other"\. Pass one of default'):
        lend("other")


def test_a_session_without_a_bind_says_what_is_missing(blocking: BlockingPostgresStore) -> None:
    with Session() as session, pytest.raises(Invalid, match="bind"):
        blocking.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(session))


def test_no_driver_is_loaded_to_recognize_a_connection() -> None:
    script = """
import sqlite3, sys
from jobplane.api.transactions import lend, lend_async
from jobplane.core.errors import Invalid
lend(sqlite3.connect(":memory:"))
for call in (lend, lend_async):
    for strange in (object(), "default"):
        try:
            call(strange)
        except Invalid as error:
            print(error)
drivers = {"psycopg", "psycopg2", "asyncpg", "sqlalchemy", "django"}
assert not drivers & set(sys.modules), drivers & set(sys.modules)
"""
    answer: Any = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    assert answer.returncode == 0, answer.stderr
    assert "Django is not in use here" in answer.stdout
