"""A worker that settles quietly hears only of what was not accepted."""

from __future__ import annotations

from typing import Any

import psycopg

from tests.database import Database

ENQUEUE = """
select e.outcome from (select set_config('jobplane.tenant_id', '00000000-0000-7000-8000-000000000001', true)) s,
  lateral jobplane.enqueue_many(array_fill('d'::text, array[3]), array_fill('{}'::jsonb, array[3])) e"""
SETTLE = (
    "select seq, accepted, status from jobplane.settle(%s, %s, %s, %s::jobplane.attempt_outcome[], p_quiet => true)"
)

Leases = tuple[list[int], list[int], list[Any]]


def claimed(db: Database) -> tuple[psycopg.Connection[tuple[Any, ...]], Leases]:
    db.connect("admin").execute("""select jobplane.put_definitions(array['{"key": "d", "kind": "python"}'::jsonb])""")
    db.connect("app").execute(ENQUEUE)
    worker = db.connect("worker")
    rows = worker.execute(
        "select seq, attempt_no, token from jobplane.claim('default', 'w', 3) order by seq"
    ).fetchall()
    return worker, ([row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows])


def test_nothing_is_said_where_all_is_accepted_nor_when_it_is_repeated(db: Database) -> None:
    worker, leases = claimed(db)
    outcomes = ["succeeded", "failed", "fatal"]

    assert worker.execute(SETTLE, [*leases, outcomes]).fetchall() == []
    assert worker.execute(SETTLE, [*leases, outcomes]).fetchall() == []
    assert db.peek("select count(*) from jobplane.leases") == [(0,)]


def test_what_is_stale_or_busy_is_said_and_the_rest_is_settled(db: Database) -> None:
    worker, (seqs, numbers, tokens) = claimed(db)
    worker.execute(SETTLE, [seqs[:1], numbers[:1], tokens[:1], ["succeeded"]])
    holder = db.connect("owner", autocommit=False)
    holder.execute("set role jobplane_engine")
    holder.execute("select from jobplane.leases where seq = %s for update", [seqs[1]])

    said = worker.execute(SETTLE, [seqs, numbers, tokens, ["failed", "succeeded", "succeeded"]]).fetchall()
    holder.rollback()

    assert sorted(said) == [(seqs[0], False, "stale"), (seqs[1], None, "busy")]
    assert db.peek("select seq from jobplane.leases") == [(seqs[1],)]
