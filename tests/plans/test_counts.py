"""Counts stop one row beyond their cap, however many rows there are, and read each table by an index of tenants."""

from __future__ import annotations

from typing import Final

import pytest

from tests.database import Database
from tests.plans.plan import explain
from tests.plans.seed import HOT, LARGE
from tests.plans.statements import load, setting
from tests.plans.test_hot import STATUSES

CAP: Final = 200
COUNTS: Final = {"count_states": "count_jobs", "count_all_states": "count_all_jobs"}


@pytest.mark.parametrize("statuses", [STATUSES, *([status] for status in STATUSES)], ids="-".join)
@pytest.mark.parametrize("statement", COUNTS)
def test_a_count_reads_up_to_its_cap(statistics: Database, statement: str, statuses: list[str]) -> None:
    values = {"v_tenant": LARGE, "v_statuses": statuses, "v_cap": CAP, "p_worker_id": None}

    plan = explain(statistics, load(statement), setting(COUNTS[statement], statement), LARGE, values)

    scans = [scan for scan in plan.scans() if scan.table in HOT and scan.loops]
    assert sum(scan.tuples for scan in scans) <= CAP + 1, plan.text()
    assert all(scan.index and scan.condition for scan in scans), plan.text()
