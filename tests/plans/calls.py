"""Calls of the verbs, each for jobs in one state, and what it may touch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, LiteralString, cast

from psycopg import sql

from tests.database import Database
from tests.plans.seed import LARGE, TRIGGER

# The tables of a large tenant: hundreds of pages each. An index is three pages deep.
ONE: Final = 100
FEW: Final = 50
MANY: Final = 30 * FEW + ONE
CAPPED: Final = 12_000  # a count of 10,001 rows


@dataclass(frozen=True)
class Call:
    """A call of a door for jobs in one state; `ids` and `leases` stand for the jobs that it is about."""

    name: str
    state: str
    call: str
    jobs: int = 1
    pages: int = ONE
    role: str = "app"
    tuples: int = 64

    def __str__(self) -> str:
        return f"{self.name}-{self.state}"


TABLES: Final = {"held": "held", "upcoming": "upcoming", "leased": "leases", "ended": "endings"}
STATES: Final = ("ready", "held", "upcoming", "leased", "ended")
FENCE: Final = "{seqs}, {numbers}, {tokens}"
FIFTY: Final = "array_fill('job-1'::text, array[50])"
EMPTY: Final = "array_fill('{{}}'::jsonb, array[50])"
FAILED: Final = "array_fill('failed'::jobplane.attempt_outcome, array[50])"
LINES: Final = (
    "array_fill(9, array[50]), array_fill(now(), array[50]), array_fill('info'::text, array[50]), "
    "array_fill('m'::text, array[50])"
)
USED: Final = ", ".join(
    ["array_fill(7, array[50])"] * 2
    + ["array_fill(7::bigint, array[50])"] * 6
    + ["array_fill('end'::text, array[50])"] * 2
)
MET: Final = "{definition}, p_dedupe_key => {key}"
CALLS: Final = [
    *[Call("cancel", state, "cancel({ids})") for state in STATES],
    *[Call("retry", state, "retry({ids})") for state in STATES],
    *[Call("reschedule", state, "reschedule({ids}, p_delay_seconds => 60)") for state in STATES],
    *[Call("edit", state, "edit({id}, '{{\"priority\": 7}}')") for state in STATES],
    *[Call("get_jobs", state, "get_jobs({ids})") for state in STATES],
    *[Call("get_result", state, "get_result({id})") for state in STATES],
    *[Call("list_attempts", state, "list_attempts({id})") for state in STATES],
    *[Call("read_logs", state, "read_logs({id}, p_follow => true)") for state in ("leased", "ended", "ready")],
    Call("search_logs", "found", "search_logs('line 2', p_limit => 50)", 4 * FEW, 8 * MANY, tuples=600),
    *[Call("search_logs", state, "search_logs('line 2', p_level => 'info', p_job => {id})") for state in STATES],
    *[Call("explain", state, "explain({id})", tuples=25_000, pages=25_000) for state in STATES],
    *[Call("get_output", state, "get_output({id}, 1)") for state in STATES],
    Call("write_outputs", "leased", f"write_outputs({FENCE}, {USED})", FEW, MANY, "worker"),
    Call("log_lines", "leased", f"log_lines({FENCE}, {LINES})", FEW, MANY, "worker"),
    Call("enqueue", "plain", "enqueue('job-1')"),
    Call("enqueue", "keyed", "enqueue('job-1', p_dedupe_key => {new}, p_idempotency_key => {new})", pages=2 * ONE),
    Call("enqueue", "ready", f"enqueue({MET}, p_on_duplicate => 'replace')", pages=2 * ONE),
    Call("enqueue", "held", f"enqueue({MET}, p_on_duplicate => 'postpone')", pages=2 * ONE),
    Call("enqueue_many", "plain", f"enqueue_many({FIFTY}, {EMPTY})", FEW, MANY, tuples=600),
    Call("list_jobs", "correlated", "list_jobs(p_correlation_id => 'c-1', p_limit => 50)", FEW, MANY),
    Call("list_jobs", "owned", "list_jobs(p_metadata => '{{\"owner_user_id\": \"u-1\"}}', p_limit => 50)", FEW, MANY),
    Call("list_jobs", "projected", "list_jobs(p_metadata => '{{\"project_id\": 1}}', p_limit => 50)", FEW, MANY),
    Call("list_jobs", "triggered", f"list_jobs(p_trigger_id => '{TRIGGER}', p_limit => 50)", FEW, MANY),
    *[Call("list_jobs", status, f"list_jobs(array['{status}'], p_limit => 50)", FEW, 2 * MANY)
      for status in ("queued", "running", "succeeded", "failed", "dead_letter", "canceled")],
    Call("count_jobs", "correlated", "count_jobs(p_correlation_id => 'c-1')", FEW, MANY),
    Call("count_jobs", "triggered", f"count_jobs(p_trigger_id => '{TRIGGER}')", FEW, MANY),
    Call("count_jobs", "all", "count_jobs()", FEW, CAPPED, tuples=10_001),
    *[Call("count_jobs", status, f"count_jobs(array['{status}'])", FEW, CAPPED, tuples=10_001)
      for status in ("queued", "running", "succeeded", "failed")],
    Call("count_jobs", "defined", "count_jobs(p_definitions => '{{job-1}}')", FEW, 10 * CAPPED, tuples=40_000),
    Call("claim", "ready", "claim('default', 'w', 50)", FEW, MANY, "worker"),
    Call("claim_encoded", "ready", "claim_encoded('default', 'w', 50)", FEW, MANY, "worker"),
    Call("renew_all", "leased", f"renew_all({FENCE}, p_begun => array_fill(true, array[50]))", FEW, MANY, "worker"),
    Call("renew", "leased", f"renew({FENCE})", FEW, MANY, "worker"),
    Call("settle", "leased", f"settle({FENCE}, {FAILED})", FEW, MANY, "worker"),
    Call("release", "leased", f"release({FENCE})", FEW, MANY, "worker"),
    Call("promote", "upcoming", "promote(50)", FEW, MANY, "worker", tuples=150 * FEW),
    Call("expire", "upcoming", "expire(50)", FEW, MANY, "worker"),
    Call("tick", "ready", "tick(false)", 3000, 6 * 3000, "worker"),
    Call("tenant_id_of", "one", "tenant_id_of('tenant-4999')"),
]  # fmt: skip


def statement(db: Database, call: Call, turn: int) -> sql.Composed:
    """The call as a statement, about jobs of the large tenant that no other turn is about."""
    return sql.SQL(cast("LiteralString", f"select * from jobplane.{call.call}")).format(**_about(db, call, turn))


def _about(db: Database, call: Call, turn: int) -> dict[str, sql.Literal]:
    """Jobs of the large tenant in the call's state, others at each turn; looked up one table after the other."""
    table = TABLES.get(call.state, "ready")
    which = "status = 'dead_letter'" if table == "endings" else "deduped"
    fence = "array_agg(attempt_no), array_agg(token)" if table == "leases" else "null, null"
    state = f"select * from jobplane.{table} where {which} and tenant_id = %s and seq %% 2 = %s limit %s"
    seqs, numbers, tokens = db.peek(
        f"select array_agg(seq), {fence} from ({state}) s", LARGE, turn, min(call.jobs, FEW)
    )[0]
    facts = db.peek("select id, dedupe_key, definition_key from jobplane.jobs where seq = any (%s)", seqs)
    ids = [row[0] for row in facts]
    _, key, definition = facts[0]
    values = {
        "ids": ids,
        "id": ids[0],
        "key": key,
        "definition": definition,
        "new": f"new-{turn}",
        "seqs": seqs,
        "tokens": tokens,
        "numbers": numbers,
    }
    return {name: sql.Literal(value) for name, value in values.items()}
