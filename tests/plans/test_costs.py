"""No statement of a verb needs a node that the verb's planner switches forbid.

Up to PostgreSQL 17 such a node costs 10,000,000,000, and a server with `jit = on` compiles a plan above 100,000 in
every call, for a second and more. From 18 on the plan counts such nodes.
"""

from __future__ import annotations

from typing import Final

import pytest

from tests.database import Database
from tests.plans.calls import CALLS, Call, statement
from tests.plans.costs import Planned, planning
from tests.plans.kinds import drained, empty
from tests.plans.seed import LARGE, SMALL, TRIGGER, login
from tests.plans.statements import ROOT

MOST: Final = 100_000  # where jit_above_cost begins
WALKS: Final = {
    "list_all_jobs",
    "count_all_jobs",
    "find_jobs",
    "summarize_all",
    "all_activity",
}  # all tenants, of which there are 5,000; without jit
MOST_OF_A_WALK: Final = 1_000_000_000
EITHER: Final = pytest.mark.parametrize("statistics", [empty, drained], indirect=True, ids=["empty", "drained"])
TENANTS: Final = f"array['{SMALL}'::uuid]"
CHANGED: Final = """'{{"key": "job-1", "max_running": 9}}'::jsonb"""
NEW: Final = """'{{"key": "new", "kind": "python"}}'::jsonb"""
SHOP: Final = "'shop', '1', null"
DESCRIBED: Final = """'[{{"name": "default", "description": "x"}}]'::jsonb"""
OPTIONS: Final = "p_tags => '{{a}}', p_expires_at => now() + interval '1 h', p_queue => 'queue-7'"
MET: Final = "'{{d}}', '{{1}}'"
DIGEST: Final = "sha256('secret')"
LINK: Final = "sha256('link-seededkey002')"
SCHEDULE: Final = (
    """'{{"label": "x", "definition_key": "job-1", "cron_expr": "5 * * * *", "next_run_at": "2100-01-01T00:05:00Z","""
    """ "due_at": "2100-01-01T00:05:00Z", "zone_version": "2026.1"}}'::jsonb"""
)
# The schedule of the large tenant fires, as it was read a moment ago.
DECISION: Final = (
    f"array['{LARGE}'::uuid], array['{TRIGGER}'::uuid], array[1],"
    " array['2026-01-01 02:00Z'::timestamptz],"
    " array['fire'], array[now()], array['{{}}'::jsonb], array[null::text], array[0], array[now()], array[now()],"
    " array[null::text]"
)
TWO: Final = """'{{job-1,job-2}}', array['{{}}', '{{}}']::jsonb[]"""
KEYS: Final = "p_dedupe_keys => '{{a,b}}', p_idempotency_keys => '{{c,d}}'"
# Verbs of operators, workers and the upkeep, and enqueues with every key and option.
MORE: Final = [
    Call("create_tenant", "new", "create_tenant('newcomer')", role="admin"),
    Call("set_tenant", "limited", f"set_tenant('{LARGE}', '{{{{\"max_in_flight\": 9}}}}')", role="admin"),
    Call("pause_tenants", "there", f"pause_tenants({TENANTS})", role="admin"),
    Call("resume_tenants", "there", f"resume_tenants({TENANTS})", role="admin"),
    Call("list_tenants", "page", "list_tenants()", role="admin"),
    Call("list_tenants", "named", "list_tenants(p_slugs => '{{tenant-7}}')", role="admin"),
    Call("database_facts", "all", "database_facts()", role="admin"),
    Call("changes", "both", f"changes('{{{{{LARGE},{SMALL}}}}}', true)", role="admin"),
    Call("tenant_depths", "large", f"tenant_depths('{{{{{LARGE},{SMALL}}}}}')", role="admin"),
    Call("put_definitions", "changed", f"put_definitions(array[{CHANGED}])", role="admin"),
    Call("put_definitions", "new", f"put_definitions(array[{NEW}])", role="admin"),
    Call("sync_definitions", "changed", f"sync_definitions({SHOP}, array[{CHANGED}], '{{{{x}}}}')", role="worker"),
    Call("sync_definitions", "new", f"sync_definitions({SHOP}, array[{NEW}], '{{{{x}}}}')", role="admin"),
    Call("create_definition", "new", "create_definition('{{\"key\": \"new\"}}')", role="admin"),
    Call("change_definition", "there", "change_definition('job-1', null, '{{\"max_running\": 9}}')", role="admin"),
    Call("delete_definition", "there", "delete_definition('job-1000', null)", role="admin"),
    Call("get_definitions", "ids", "get_definitions(p_ids => array[gen_random_uuid()])", role="worker"),
    Call("get_definitions", "page", "get_definitions()", role="worker"),
    Call("get_definitions", "named", "get_definitions('{{job-1}}')", role="worker"),
    Call("list_definitions", "page", "list_definitions()", role="admin"),
    Call("put_queues", "new", "put_queues('{{another}}')", role="admin"),
    Call("put_queues", "changed", f"put_queues(p_documents => {DESCRIBED})", role="worker"),
    Call("delete_queues", "none", "delete_queues('{{nowhere}}')", role="admin"),
    Call("pause_queues", "there", "pause_queues('{{default}}')", role="admin"),
    Call("resume_queues", "there", "resume_queues('{{default}}')", role="admin"),
    Call("list_queues", "named", "list_queues('{{queue-7}}')", role="admin"),
    Call("list_audit", "all", "list_audit()", role="admin"),
    Call("list_audit", "tenant", f"list_audit('{LARGE}', p_action => 'cancelJob', p_since => now())", role="admin"),
    Call("chain_audit", "some", "chain_audit(10)", role="admin"),
    Call("verify_audit", "some", "verify_audit(0, 10)", role="admin"),
    Call("register_worker", "new", "register_worker('another', '{{default}}', '{{job-1}}')", role="worker"),
    Call("see_worker", "there", "see_worker('knows-20')", role="worker"),
    Call("deregister_worker", "there", "deregister_worker('knows-20')", role="worker"),
    Call("delete_worker", "stale", "delete_worker('stale')", role="admin"),
    Call("list_workers", "page", "list_workers()", role="admin"),
    Call("create_key", "new", f"create_key('newkey000001', {DIGEST}, 'viewer', '{LARGE}')", role="admin"),
    Call("list_keys", "page", f"list_keys('{LARGE}')", role="admin"),
    Call("revoke_keys", "none", "revoke_keys('{{newkey000001}}')", role="admin"),
    Call("rotate_key", "there", f"rotate_key('seededkey001', 'newkey000002', {DIGEST})", role="admin"),
    Call("authenticate", "there", f"authenticate('seededkey001', {DIGEST})", role="admin"),
    Call("create_session", "key", f"create_session({DIGEST}, 60, 60, 'seededkey001', {DIGEST})", role="admin"),
    Call("create_session", "link", f"create_session({DIGEST}, 60, 60, p_link => {LINK})", role="admin"),
    Call("find_session", "there", "find_session(sha256('session-seededkey001'), 3600)", role="admin"),
    Call("end_sessions", "all", "end_sessions('key', 'seededkey001')", role="admin"),
    Call("create_session_link", "new", f"create_session_link({DIGEST}, 'key', 'seededkey001')", role="admin"),
    Call("reserve_reply", "new", f"reserve_reply('enqueueJob', 'new', {DIGEST}, 3)"),
    Call("reserve_reply", "there", f"reserve_reply('enqueueJob', 'reply-1', {DIGEST}, 3)"),
    Call("save_reply", "there", "save_reply('enqueueJob', 'reply-1', 201, 'b')"),
    *[Call("list_all_jobs", status, f"list_all_jobs(array['{status}'])", role="admin")
      for status in ("queued", "running", "succeeded", "failed")],
    Call("list_all_jobs", "all", "list_all_jobs()", role="admin"),
    Call("list_all_jobs", "correlated", "list_all_jobs(p_correlation_id => 'c-1')", role="admin"),
    Call("list_all_jobs", "triggered", f"list_all_jobs(p_trigger_id => '{TRIGGER}')", role="admin"),
    Call("list_all_jobs", "owned", "list_all_jobs(p_metadata => '{{\"owner_user_id\": \"u-1\"}}')", role="admin"),
    Call("list_all_jobs", "projected", "list_all_jobs(p_metadata => '{{\"project_id\": 1}}')", role="admin"),
    Call("list_all_jobs", "defined", "list_all_jobs(p_definitions => '{{job-1}}')", role="admin"),
    Call("tenant_clock", "there", "tenant_clock()"),
    Call("create_trigger", "new", f"create_trigger({SCHEDULE})"),
    Call("change_trigger", "there", f"change_trigger('{TRIGGER}', '{{{{\"label\": \"x\"}}}}')"),
    Call("delete_trigger", "there", f"delete_trigger('{TRIGGER}')"),
    Call("list_triggers", "page", "list_triggers()"),
    Call("list_triggers", "one", f"list_triggers(array['{TRIGGER}'::uuid])"),
    Call("list_triggers", "late", "list_triggers(p_late_seconds => 60, p_is_enabled => true)"),
    Call("list_all_triggers", "page", "list_all_triggers()", role="admin"),
    Call("list_all_triggers", "late", "list_all_triggers(p_late_seconds => 60)", role="admin"),
    Call("list_fires", "page", f"list_fires('{TRIGGER}')"),
    Call("fire_trigger", "now", f"fire_trigger('{TRIGGER}', 1, 'manual', array[now()], array['{{{{}}}}'::jsonb])"),
    Call("due_triggers", "late", "due_triggers()", role="scheduler"),
    Call("fire", "due", f"fire({DECISION}, '2026.1', 's')", role="scheduler"),
    Call("refresh_zones", "other", "refresh_zones('2026.2')", role="scheduler"),
    Call("prune_fires", "some", "prune_fires()", role="scheduler"),
    Call("count_jobs", "all", "count_jobs()"),
    Call("count_jobs", "queued", "count_jobs('{{queued}}')"),
    Call("count_jobs", "defined", "count_jobs(p_definitions => '{{job-1}}')"),
    Call("count_all_jobs", "all", "count_all_jobs()", role="admin"),
    Call("count_all_jobs", "queued", "count_all_jobs('{{queued}}')", role="admin"),
    Call("count_all_jobs", "defined", "count_all_jobs('{{failed}}', p_definitions => '{{job-1}}')", role="admin"),
    Call("tenant_slugs", "there", f"tenant_slugs({TENANTS})", role="admin"),
    Call("list_all_jobs", "text", "list_all_jobs(p_text => 'needle')", role="admin"),
    Call("list_jobs", "text", "list_jobs(p_text => 'needle')"),
    Call("find_jobs", "ready", "find_jobs({ids})", role="admin"),
    Call("summarize_all", "all", "summarize_all()", role="admin"),
    Call("has_ready", "known", "has_ready('knows-20')", role="worker"),
    Call("want_work", "there", "want_work('{{default}}')", role="worker"),
    Call("claim_lines", "known", "claim_lines('default', 'knows-20', 50)", role="worker"),
    Call("claim", "known", "claim('default', 'knows-20', 50)", role="worker"),
    Call("sweep", "held", "sweep(10)", role="worker"),
    Call("reap", "leased", "reap()", role="worker"),
    Call("reap_all", "leased", "reap_all()", role="worker"),
    Call("due_chores", "all", "due_chores('{{promote,tick,expire,sweep,wake,reap}}', 'w')", role="worker"),
    Call("wake_idle", "ready", "wake_idle()", role="worker"),
    Call("held_snapshots", "all", "held_snapshots()", role="worker"),
    Call("tick", "full", "tick(true)", role="worker"),
    Call("tidy", "all", "tidy()", role="worker"),
    Call("prune_logs", "all", "prune_logs()", role="scheduler"),
    Call("prune_jobs", "days", "prune_jobs(p_retention_days => 0)", role="scheduler"),
    Call("prune_jobs", "counted", f"prune_jobs(90000, 1000, 30, 1, false, {TENANTS}, {MET})", role="scheduler"),
    Call("prune_jobs", "dry", "prune_jobs(p_retention_days => 0, p_dry_run => true)", role="scheduler"),
    Call("prune_lines", "all", "prune_lines(p_retention_days => 0)", role="scheduler"),
    Call("prune_lines", "dry", "prune_lines(p_retention_days => 0, p_dry_run => true)", role="scheduler"),
    Call("prune_receipts", "all", "prune_receipts()", role="scheduler"),
    Call("list_artifacts", "all", "list_artifacts()", role="scheduler"),
    Call("summary", "all", "summary()"),
    Call("activity", "all", "activity()"),
    Call("all_activity", "all", "all_activity()", role="admin"),
    Call("tenant_problems", "all", "tenant_problems()"),
    Call("list_problems", "all", "list_problems()", role="admin"),
    Call("enqueue", "id", "enqueue('job-1', p_id => gen_random_uuid())"),
    Call("enqueue", "options", f"enqueue('job-1', {OPTIONS})"),
    Call("enqueue_many", "keyed", f"enqueue_many({TWO}, {KEYS})"),
]  # fmt: skip


LIMITED: Final = [call for call in CALLS + MORE if call.name in {"enqueue", "enqueue_many", "retry"}]


@EITHER
@pytest.mark.parametrize("call", CALLS + MORE, ids=str)
def test_a_call_plans_nothing_that_is_forbidden(statistics: Database, call: Call) -> None:
    assert _forbidden(statistics, call) == []


@EITHER
@pytest.mark.parametrize("call", LIMITED, ids=str)
def test_nor_does_one_of_a_tenant_with_a_pending_limit(statistics: Database, call: Call) -> None:
    statistics.peek("update jobplane.tenants set max_pending = 1000000 where tenant_id = %s", LARGE)
    try:
        assert _forbidden(statistics, call) == []
    finally:
        statistics.peek("update jobplane.tenants set max_pending = null where tenant_id = %s", LARGE)


@EITHER
@pytest.mark.parametrize("name", ["claim", "claim_lines", "has_ready"])
def test_nor_does_a_claim_that_meets_commands(statistics: Database, name: str) -> None:
    [call] = [call for call in MORE if (call.name, call.state) == (name, "known")]
    statistics.peek("update jobplane.definitions set kind = 'command', command = '{}' where key = 'job-3'")
    try:
        assert _forbidden(statistics, call) == []
    finally:
        statistics.peek("update jobplane.definitions set kind = 'python', command = null where key = 'job-3'")


def test_every_verb_is_among_the_calls() -> None:
    verbs = {path.stem for path in (ROOT / "verbs").glob("*.sql")}

    assert verbs - {call.name for call in CALLS + MORE} == set()


def _forbidden(db: Database, call: Call) -> list[Planned]:
    with login(db, call.role) as conn, planning(conn) as planned, conn.transaction(force_rollback=True):
        conn.execute("select set_config('jobplane.tenant_id', %s, true)", [LARGE])
        conn.execute(statement(db, call, 0))

    assert planned
    most = MOST_OF_A_WALK if call.name in WALKS else MOST
    return [found for found in planned if found.cost > most or found.disabled]
