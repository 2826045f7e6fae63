"""Reads over 5,000 tenants: each tenant is asked by its own index, and no table is read as a whole."""

from __future__ import annotations

from typing import Any, Final

import psycopg
import pytest

from tests.database import Database
from tests.plans.kinds import drained, empty
from tests.plans.seed import HOT, LARGE, SMALL, TRIGGER, login

EITHER: Final = pytest.mark.parametrize("statistics", [empty, drained], indirect=True, ids=["empty", "drained"])
JOBS: Final = 50
TENANT: Final = "('00000000-0000-7000-8000-' || lpad((10000 + g)::text, 12, '0'))::uuid"
_READ: Final = """
select coalesce(sum(seq_tup_read), 0)::int, coalesce(sum(coalesce(idx_tup_fetch, 0)), 0)::int
  from pg_stat_xact_user_tables where schemaname = 'jobplane' and relname = any (%s)"""
# A call, and how many rows it may fetch: the newest of each of a hundred tenants at work, 50 of those that have the 50
# newest, and those that it describes. All statuses and what runs need no look at each tenant.
CALLS: Final = {
    "list_all_jobs()": 1_000,
    "list_all_jobs('{failed}')": 1_000,
    "list_all_jobs('{dead_letter}')": 100 + JOBS * JOBS + 1_000,
    "list_all_jobs('{queued}')": 3 * 100 + JOBS * JOBS + 1_000,
    "list_all_jobs('{running}')": 1_000,
    "list_all_jobs(p_correlation_id => 'c-1')": 3_000,
    f"list_all_jobs(p_trigger_id => '{TRIGGER}')": 3_000,
    'list_all_jobs(p_metadata => \'{"owner_user_id": "u-1"}\')': 3_000,
    "list_all_jobs(p_metadata => '{\"project_id\": 1}')": 3_000,
    "list_all_jobs(p_definitions => '{job-1}')": 10_000 + 1_000,
    "list_all_jobs('{queued}', p_definitions => '{job-1}')": 3 * 100 * JOBS + 20_000,
    "list_all_jobs(p_text => 'needle')": 3 * 10_000 + 1_000,
    "find_jobs(array[gen_random_uuid()])": 10,
    f"changes(array['{LARGE}', '{SMALL}']::uuid[], true)": 2 * (8 * JOBS + 2_000) + 2_000,
    f"changes(array(select {TENANT} from generate_series(1, 1000) g), true)": 100 * 8 * JOBS + 3 * 2_000,
    "count_all_jobs()": 10_001 + 10,
    "count_all_jobs('{queued}')": 10_001 + 10,
    "count_all_jobs('{running}')": 2_000 + 10,
    "count_all_jobs('{failed}')": 10,
    "count_all_jobs(p_definitions => '{job-1}')": 2 * 10_000 + 10,
}


@EITHER
@pytest.mark.parametrize("call", CALLS)
def test_a_read_over_all_tenants_fetches_what_it_answers(statistics: Database, call: str) -> None:
    with login(statistics, "admin") as conn, conn.transaction():
        conn.execute(f"select count(*) from jobplane.{call}".encode())
        scanned, fetched = _read(conn)

    assert scanned == 0
    assert fetched < CALLS[call]


def _read(conn: psycopg.Connection[tuple[Any, ...]]) -> tuple[int, int]:
    scanned, fetched = conn.execute(_READ, [list(HOT)]).fetchone() or (0, 0)
    return scanned, fetched
