"""Whole calls: what a verb touches, glue and all, has to do with its arguments and not with what else there is."""

from __future__ import annotations

from typing import Any, Final

import psycopg
import pytest

from tests.database import Database
from tests.plans.calls import CALLS, Call, statement
from tests.plans.kinds import drained, empty
from tests.plans.plan import measured
from tests.plans.seed import HOT, LARGE, login

_READ: Final = """
select coalesce(sum(seq_tup_read), 0)::int, coalesce(sum(coalesce(idx_tup_fetch, 0)), 0)::int
  from pg_stat_xact_user_tables where schemaname = 'jobplane' and relname = any (%s)"""


@pytest.mark.parametrize("statistics", [empty, drained], indirect=True, ids=["empty", "drained"])
@pytest.mark.parametrize("call", CALLS, ids=str)
def test_a_call_touches_what_it_is_about(statistics: Database, call: Call) -> None:
    with login(statistics, call.role) as conn, conn.transaction():
        conn.execute("select set_config('jobplane.tenant_id', %s, true)", [LARGE])
        for turn in (0, 1):  # the first one fills the caches and makes the plans
            with conn.transaction(force_rollback=True):
                before = _tuples(conn)
                plan = measured(conn, statement(statistics, call, turn))
                seq, fetched = (after - was for after, was in zip(_tuples(conn), before, strict=True))

    assert seq <= _small(call), f"{seq} rows of hot tables were read without an index"
    assert fetched <= 16 * call.jobs + call.tuples, f"{fetched} rows of hot tables were fetched"
    assert plan.blocks <= call.pages, plan.blocks


def _small(call: Call) -> int:
    """Leases are fewer than the workers' slots, and may be read as a whole to be sorted."""
    return 2500 if call.name == "list_jobs" else 0


def _tuples(conn: psycopg.Connection[tuple[Any, ...]]) -> tuple[int, int]:
    row = conn.execute(_READ, [[*HOT, "logs_0", "logs_1", "logs_2"]]).fetchone()
    return row or (0, 0)
