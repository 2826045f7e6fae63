"""The look behind the verbs sees what it is there for: each fault that it names, forged."""

from __future__ import annotations

import pytest

from jobplane.core.model import DEFAULT_TENANT, NewJob
from tests.client import PostgresStore
from tests.conformance.backend import PostgresAudit
from tests.database import Database

TWO_STATES = """
insert into jobplane.endings select seq, tenant_id, scheduled_for, 0, 'canceled', 0, null from jobplane.ready
"""
FORGED = {
    "delete from jobplane.ready": ["job 1 is in no state", "the dedupe key k belongs to job 1"],
    "delete from jobplane.jobs": ["job 1 is in ready", "the dedupe key k belongs to job 1"],
    TWO_STATES: ["job 1 is in ready and endings"],
    "delete from jobplane.dedupe": ["job 1 is active and does not hold its dedupe key"],
    "update jobplane.dedupe set dedupe_key = 'other'": ["the dedupe key other belongs to job 1"],
    "insert into jobplane.limits (limit_key, used) values ('d/1', 1)": ["limit d/1 has used 1"],
    "update jobplane.receipts set seq = 7": ["the idempotency key i belongs to no job"],
}


@pytest.mark.parametrize("forgery", FORGED)
async def test_each_fault_is_seen(db: Database, store: PostgresStore, forgery: str) -> None:
    await store.put_definitions([{"key": "d", "kind": "python"}])
    await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d", dedupe_key="k", idempotency_key="i")])
    audit = PostgresAudit(db)
    assert audit.faults() == []

    db.peek(forgery)

    found = audit.faults()
    for fault in FORGED[forgery]:
        assert any(line.startswith(fault) for line in found), found


async def test_a_lease_that_no_limit_counts_is_seen(db: Database, store: PostgresStore) -> None:
    await store.put_definitions([{"key": "d", "kind": "python", "max_running": 3}])
    await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")] * 2)
    assert len((await store.claim("default", "w1", limit=2)).leases) == 2
    assert PostgresAudit(db).faults() == []

    db.peek("update jobplane.limits set used = used - 1")

    assert len(PostgresAudit(db).faults()) == 1
