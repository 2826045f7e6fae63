"""What an application has set on its session neither matters nor changes: isolation, autocommit, search path."""

from __future__ import annotations

from typing import Final

import psycopg
import psycopg2
import pytest
from psycopg import pq
from psycopg2.extensions import ISOLATION_LEVEL_SERIALIZABLE

from jobplane.api.transactions import lend
from jobplane.core.errors import (
    Invalid,
    StoreBusy,
    StoreUnavailable,
)
from jobplane.core.model import DEFAULT_TENANT, NewJob
from jobplane.store.verbs.jobs import Enqueue, GetJobs
from tests.client import BlockingPostgresStore
from tests.database import Database
from tests.transactions.blocking_stacks import app_url
from tests.transactions.jobs import SETTING, committed, ids, new
from tests.transactions.round_trip import written_and_read

SHADOWS: Final = """
create schema tricky;
grant usage on schema tricky to public;
create domain tricky.uuid as text;
create domain tricky.text as varchar(3);
create function tricky.current_setting(text, boolean) returns text language sql as $$ select 'shadow' $$;
create function tricky.set_config(text, text, boolean) returns text language sql as $$ select 'shadow' $$;
create function tricky.json_agg(anyelement) returns text language sql as $$ select 'shadow' $$;
"""


def test_an_isolation_level_is_kept(db: Database, blocking: BlockingPostgresStore) -> None:
    conn = psycopg2.connect(app_url(db))
    conn.set_session(isolation_level=ISOLATION_LEVEL_SERIALIZABLE)
    written_and_read(blocking, conn)

    with conn.cursor() as cursor:
        cursor.execute("show transaction_isolation")
        assert cursor.fetchone() == ("serializable",)
    conn.close()


def test_a_lost_race_at_repeatable_read_is_a_busy_store(db: Database, blocking: BlockingPostgresStore) -> None:
    with psycopg.connect(app_url(db)) as conn:
        conn.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        conn.execute("select 1")
        blocking.enqueue(DEFAULT_TENANT, [new(dedupe_key="k")])

        with pytest.raises(StoreBusy) as caught:
            blocking.run(Enqueue(DEFAULT_TENANT, [new(dedupe_key="k")]), conn=lend(conn))

        assert isinstance(caught.value.__cause__, psycopg.errors.SerializationFailure)
        assert conn.isolation_level == psycopg.IsolationLevel.REPEATABLE_READ
        conn.rollback()


def test_an_autocommit_connection_makes_it_a_statement_of_its_own(
    db: Database, blocking: BlockingPostgresStore
) -> None:
    with psycopg.connect(app_url(db), autocommit=True) as conn:
        conn.execute("select set_config('jobplane.tenant_id', 'mine', false)")
        made = ids(blocking.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(conn)))

        assert conn.info.transaction_status == pq.TransactionStatus.IDLE
        assert committed(blocking) == set(made)
        assert conn.execute(SETTING).fetchone() == ("mine",)
        assert conn.autocommit


def test_a_read_only_transaction_can_look_and_not_write(db: Database, blocking: BlockingPostgresStore) -> None:
    made = ids(blocking.enqueue(DEFAULT_TENANT, [new()]))
    with psycopg.connect(app_url(db)) as conn:
        conn.read_only = True

        assert blocking.run(GetJobs(DEFAULT_TENANT, made), conn=lend(conn)) == blocking.get_jobs(DEFAULT_TENANT, made)
        with pytest.raises(StoreUnavailable, match="read-only"):
            blocking.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(conn))


def test_an_idle_worker_is_woken_by_the_commit(db: Database, blocking: BlockingPostgresStore) -> None:
    blocking.want_work(["default"])
    listener = db.cluster.url("worker", db.name, direct=True)
    with psycopg.connect(listener, autocommit=True) as worker, psycopg.connect(app_url(db)) as conn:
        worker.execute("listen jobplane_wake")
        blocking.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(conn))
        assert list(worker.notifies(timeout=0.2)) == []

        conn.commit()

        assert len(list(worker.notifies(timeout=10, stop_after=1))) == 1


def test_a_setting_of_the_session_outlives_the_transaction(db: Database, blocking: BlockingPostgresStore) -> None:
    with psycopg.connect(app_url(db)) as conn:
        conn.execute("set jobplane.tenant_id = 'of the session'")
        blocking.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(conn))
        conn.commit()

        assert conn.execute(SETTING).fetchone() == ("of the session",)


def test_a_setting_that_was_never_made_is_empty_afterwards(db: Database, blocking: BlockingPostgresStore) -> None:
    """PostgreSQL cannot forget that a setting of this name was ever there; the policies take both for the same."""
    with psycopg.connect(app_url(db)) as conn:
        assert conn.execute(SETTING).fetchone() == (None,)
        blocking.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(conn))

        assert conn.execute(SETTING).fetchone() == ("",)


def test_a_search_path_with_names_of_the_catalog_does_not_lead_astray(
    db: Database, blocking: BlockingPostgresStore
) -> None:
    db.own(SHADOWS)
    with psycopg.connect(app_url(db)) as conn:
        conn.execute("set search_path = tricky, pg_catalog")
        written_and_read(blocking, conn)

        assert conn.execute("show search_path").fetchone() == ("tricky, pg_catalog",)


@pytest.mark.parametrize(
    "setting",
    [
        "datestyle = 'SQL, DMY'",
        "timezone = 'Asia/Kathmandu'",
        "intervalstyle = 'sql_standard'",
        "extra_float_digits = 0",
    ],
)
def test_the_sessions_own_formats_do_not_matter(db: Database, blocking: BlockingPostgresStore, setting: str) -> None:
    with psycopg.connect(app_url(db)) as conn:
        conn.execute(f"set {setting}".encode())
        job = written_and_read(blocking, conn)

    assert blocking.get_jobs(DEFAULT_TENANT, [job.id]) == [job]


def test_an_encoding_that_cannot_say_it_is_an_error_that_says_so(db: Database, blocking: BlockingPostgresStore) -> None:
    with psycopg.connect(app_url(db), client_encoding="latin1") as conn:
        written = ids(
            blocking.run(Enqueue(DEFAULT_TENANT, [NewJob(definition="d", payload={"é": "ü"})]), conn=lend(conn))
        )
        with pytest.raises(Invalid, match="client_encoding"):
            blocking.run(Enqueue(DEFAULT_TENANT, [NewJob(definition="d", payload={"漢": 1})]), conn=lend(conn))
        conn.commit()

    assert blocking.get_jobs(DEFAULT_TENANT, written)[0].payload == {"é": "ü"}
