"""What goes wrong on a lent connection is said in jobplane's words, and the caller's own error is its cause."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import psycopg
import psycopg2
import pytest

from jobplane.api.transactions import lend, lend_async
from jobplane.core.errors import (
    Conflict,
    Forbidden,
    SchemaOutOfDate,
    StoreUnavailable,
    TenantNotFound,
)
from jobplane.core.model import DEFAULT_TENANT
from jobplane.store.verbs.jobs import Enqueue
from tests.client import BlockingPostgresStore, PostgresStore
from tests.database import Database
from tests.transactions.blocking_stacks import Stack, app_url
from tests.transactions.jobs import NOBODY, new
from tests.transactions.loop_stacks import LoopStack
from tests.transactions.round_trip import written_and_read


def test_a_login_without_the_doors_is_told_how_to_get_in(db: Database, blocking: BlockingPostgresStore) -> None:
    with psycopg.connect(db.url("worker", direct=True)) as conn, pytest.raises(Forbidden, match="--grant app="):
        blocking.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(conn))


def test_a_connection_to_a_database_without_jobs_says_so(db: Database, blocking: BlockingPostgresStore) -> None:
    with db.cluster.admin() as conn, pytest.raises(SchemaOutOfDate, match="another database"):
        blocking.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(conn))


@pytest.mark.parametrize("connect", [psycopg.connect, psycopg2.connect])
def test_a_transaction_that_has_failed_says_to_roll_back(
    db: Database, blocking: BlockingPostgresStore, connect: Callable[[str], Any]
) -> None:
    conn = connect(app_url(db))
    with pytest.raises(TenantNotFound):
        blocking.run(Enqueue(NOBODY, [new()]), conn=lend(conn))

    with pytest.raises(Conflict, match="Roll it back"):
        blocking.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(conn))

    conn.rollback()
    written_and_read(blocking, conn)
    conn.close()


def test_a_cut_connection_is_an_unavailable_store(stack: Stack, blocking: BlockingPostgresStore, db: Database) -> None:
    [[pid]] = stack.execute("select pg_backend_pid()")
    end(db, pid)

    with pytest.raises(StoreUnavailable) as caught:
        blocking.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend(stack.conn))

    assert caught.value.__cause__ is not None
    with suppress(Exception):  # the stack learns of it in its own way
        stack.rollback()


async def test_a_cut_connection_of_a_loop_is_an_unavailable_store(
    loop_stack: LoopStack, store: PostgresStore, db: Database
) -> None:
    [[pid]] = await loop_stack.execute("select pg_backend_pid()")
    end(db, pid)

    with pytest.raises(StoreUnavailable) as caught:
        await store.run(Enqueue(DEFAULT_TENANT, [new()]), conn=lend_async(loop_stack.conn))

    assert caught.value.__cause__ is not None
    with suppress(Exception):
        await loop_stack.rollback()


def end(db: Database, pid: int) -> None:
    with db.cluster.admin() as admin, admin.transaction():
        admin.execute("set local role pg_signal_backend")
        admin.execute("select pg_terminate_backend(%s, 5000)", [pid])


def test_an_error_that_is_not_the_databases_is_left_alone(blocking: BlockingPostgresStore) -> None:
    class Strange:
        def rows(self, statement: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
            raise KeyError("a bug of somebody's own")

    with pytest.raises(KeyError):
        blocking.run(Enqueue(DEFAULT_TENANT, [new()]), conn=Strange())
