"""The look behind the verbs sees what it is there for: each fault that it names, forged."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobplane.core.model import DEFAULT_TENANT, NewJob
from tests.client import BlockingSqliteStore
from tests.conformance.backend import SqliteAudit

TWO_STATES = """
insert into jobplane_endings (seq, tenant_no, finished_at, attempt_no, status, attempts_left)
select seq, tenant_no, scheduled_for, 0, 'canceled', 0 from jobplane_ready
"""
FORGED = {
    "delete from jobplane_ready": ["job 1 is in no state", "the dedupe key k belongs to job 1"],
    "delete from jobplane_jobs": ["job 1 is in ready", "the dedupe key k belongs to job 1"],
    TWO_STATES: ["job 1 is in endings and ready"],
    "delete from jobplane_dedupe": ["job 1 is active and does not hold its dedupe key"],
    "update jobplane_dedupe set dedupe_key = 'other'": ["the dedupe key other belongs to job 1"],
    "insert into jobplane_limits values ('d/1', 1, 0)": ["limit d/1 has used 1"],
    "update jobplane_receipts set seq = 7": ["the idempotency key i belongs to no job"],
}


@pytest.mark.parametrize("forgery", FORGED)
def test_each_fault_is_seen(path: Path, store: BlockingSqliteStore, forgery: str) -> None:
    store.enqueue(DEFAULT_TENANT, [NewJob(definition="d", dedupe_key="k", idempotency_key="i")])
    audit = SqliteAudit(path)
    assert audit.faults() == []

    audit.peek(forgery)

    found = audit.faults()
    for fault in FORGED[forgery]:
        assert any(line.startswith(fault) for line in found), found


def test_a_lease_that_no_limit_counts_is_seen(path: Path, store: BlockingSqliteStore) -> None:
    store.put_definitions([{"key": "d", "max_running": 3}])
    store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")] * 2)
    assert len(store.claim("default", "w1", limit=2).leases) == 2
    audit = SqliteAudit(path)
    assert audit.faults() == []

    audit.peek("update jobplane_limits set used = used - 1")

    assert len(audit.faults()) == 1
