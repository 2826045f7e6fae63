"""What a stolen key opens, written down once more: a header that gives a login one verb more changes this list too."""

from __future__ import annotations

from typing import Final

import psycopg
import pytest

from tests.tenancy.attack import DENIED
from tests.tenancy.catalog import functions, may_execute
from tests.tenancy.town import Town

TENANTS: Final = {
    "activity", "cancel", "change_trigger", "count_jobs", "create_trigger", "delete_trigger", "edit", "enqueue",
    "enqueue_many", "explain", "fire_trigger", "get_jobs", "get_output", "get_result", "list_attempts", "list_fires",
    "list_jobs", "list_triggers", "read_logs", "reschedule", "reserve_reply", "retry", "save_reply", "search_logs",
    "summary", "tenant_clock", "tenant_problems",
}  # fmt: skip
EVERYBODYS: Final = {"get_definitions", "list_definitions", "tenant_id_of"}
WORKERS: Final = {
    "claim", "claim_encoded", "claim_lines", "deregister_worker", "due_chores", "expire", "has_ready",
    "held_snapshots", "list_queues", "list_workers", "log_lines", "promote", "reap", "reap_all", "register_worker",
    "release", "renew", "renew_all", "see_worker", "settle", "sweep", "tenant_slugs", "tick", "tidy", "wake_idle",
    "want_work", "write_outputs",
}  # fmt: skip
RETENTION: Final = {"list_artifacts", "prune_jobs", "prune_lines", "prune_logs", "prune_receipts"}
SCHEDULES: Final = {"create_trigger", "due_triggers", "fire", "list_triggers", "prune_fires", "refresh_zones"}
SYNC: Final = {"put_definitions", "put_queues", "sync_definitions"}
ADMINS: Final = {
    "all_activity", "authenticate", "chain_audit", "change_definition", "changes", "count_all_jobs",
    "create_definition", "create_key", "create_session", "create_session_link", "create_tenant", "database_facts",
    "delete_definition", "delete_queues", "delete_worker", "deregister_worker", "end_sessions", "find_jobs",
    "find_session", "list_all_jobs", "list_all_triggers", "list_audit", "list_keys", "list_problems", "list_queues",
    "list_tenants", "list_workers", "pause_queues", "pause_tenants", "resume_queues", "resume_tenants", "revoke_keys",
    "rotate_key", "set_tenant", "summarize_all", "tenant_depths", "tenant_slugs", "verify_audit",
}  # fmt: skip
KEYS: Final = {
    "app": TENANTS | EVERYBODYS,
    "worker": WORKERS | SYNC | EVERYBODYS,
    "scheduler": WORKERS | EVERYBODYS | RETENTION | SCHEDULES | {"chain_audit", "sync_definitions"},
    "admin": ADMINS | SYNC | TENANTS | EVERYBODYS,
    "maintenance": set[str](),
}


@pytest.mark.parametrize("login", KEYS)
def test_a_key_opens_these_verbs_and_no_other(town: Town, login: str) -> None:
    allowed = may_execute(town.db, login)

    assert {function.name for function in functions(town.db) if function.oid in allowed} == KEYS[login]


@pytest.mark.parametrize("login", ["worker", "scheduler", "maintenance"])
@pytest.mark.parametrize(
    "statement",
    ["select * from jobplane.enqueue('d')", "select * from jobplane.list_jobs()", "select * from jobplane.summary()",
     "select * from jobplane.list_tenants()", "select payload from jobplane.jobs",
     "select result from jobplane.results", "select stdout_tail from jobplane.outputs",
     "select message from jobplane.logs",
     "select * from jobplane.search_logs('x')"],
)  # fmt: skip
def test_a_workers_key_neither_enqueues_nor_reads(town: Town, login: str, statement: str) -> None:
    conn = town.db.connect(login)

    conn.execute("begin")
    conn.execute("select set_config('jobplane.tenant_id', %s, true)", [str(town.alice)])
    with pytest.raises(psycopg.Error) as refused:
        conn.execute(statement.encode())
    conn.execute("rollback")

    assert refused.value.sqlstate == DENIED
