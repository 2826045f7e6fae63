"""A snapshot that somebody holds keeps every dead row; the low mark keeps the claims out of their graveyard."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from psycopg import sql

from tests.clock import Clock
from tests.database import Database
from tests.plans.plan import measured
from tests.plans.seed import LARGE, STATES, fill, login, prepare

Connection = psycopg.Connection[tuple[Any, ...]]

PASSED = 20_000
CLAIM = sql.SQL("select * from jobplane.claim('default', 'w', 50)")
ENQUEUE = sql.SQL("select * from jobplane.enqueue('job-1')")


@pytest.fixture
def passed(db: Database) -> Database:
    prepare(db)
    fill(db, dict.fromkeys(STATES, 0) | {"ready": PASSED})
    return db


def test_a_held_snapshot_makes_no_claim_dearer_after_a_tick(passed: Database, clock: Clock) -> None:
    with login(passed, "worker") as worker, login(passed, "app") as app, _snapshot(passed):
        clean = _pages(worker, CLAIM)
        while _pass_on(worker, 1000):
            clock.advance(0.1)  # a claim moves the lane's clock every 50 ms at most
        many = "jobplane.enqueue_many(array_fill('job-1'::text, array[200]), array_fill('{}'::jsonb, array[200]))"
        app.execute(f"select e.* from (select set_config('jobplane.tenant_id', '{LARGE}', true)) s, {many} e".encode())
        buried = _pages(worker, CLAIM)
        for _ in range(2):
            worker.execute("select jobplane.tick(false)")
        marked = _pages(worker, CLAIM)

    assert buried > clean + PASSED / 100, "the test has made no graveyard"
    assert marked <= clean + 200


def test_a_held_snapshot_makes_no_enqueue_and_no_settle_dearer(passed: Database, clock: Clock) -> None:
    with login(passed, "worker") as worker, login(passed, "app") as app, _snapshot(passed):
        app.execute("select set_config('jobplane.tenant_id', %s, false)", [LARGE])
        clean = _pages(app, ENQUEUE)
        while _pass_on(worker, 1000):
            clock.advance(0.1)  # a claim moves the lane's clock every 50 ms at most
        worker.execute("select jobplane.tick(false)")
        enqueue = _pages(app, ENQUEUE)
        app.execute(ENQUEUE)
        settle = _pages(worker, _settling(worker))

    assert enqueue <= clean + 50
    assert settle <= 100


@contextmanager
def _snapshot(db: Database) -> Generator[None]:
    with login(db, "owner") as holder, holder.transaction():
        holder.execute("set transaction isolation level repeatable read")
        holder.execute("select count(*) from pg_class")
        yield


def _pages(conn: Connection, call: sql.SQL | sql.Composed) -> int:
    """What a call touches, when its plans are made and the catalog is known."""
    pages = 0
    for _ in range(2):
        with conn.transaction(force_rollback=True):
            pages = measured(conn, call).blocks
    return pages


def _settling(conn: Connection) -> sql.Composed:
    claimed = conn.execute("select seq, attempt_no, token from jobplane.claim('default', 'w', 1)").fetchall()
    fence = sql.SQL(", ").join(sql.Literal(list(column)) for column in zip(*claimed, strict=True))
    outcomes = sql.Literal(["succeeded"] * len(claimed))
    return sql.SQL("select * from jobplane.settle({}, {}::jobplane.attempt_outcome[])").format(fence, outcomes)


def _pass_on(conn: Connection, n: int) -> int:
    """Claim so many jobs and settle them; how many there were."""
    columns = "array_agg(seq) as s, array_agg(attempt_no) as a, array_agg(token) as t, count(*) as n"
    claimed = f"select {columns} from jobplane.claim('default', 'w', %s) having count(*) > 0"
    ends = "array_fill('succeeded'::jobplane.attempt_outcome, array[c.n::int])"
    settled = f"select count(*) from ({claimed}) c, jobplane.settle(c.s, c.a, c.t, {ends})"
    row = conn.execute(settled.encode(), [n]).fetchone()
    return row[0] if row else 0
