"""Hot statements by construction: the index that was meant, and no more of it than the batch needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final
from uuid import uuid4

import pytest

from tests.database import Database
from tests.plans.plan import Plan, explain
from tests.plans.seed import LARGE, SMALL
from tests.plans.statements import ROOT, load, setting

N: Final = 50
TID: Final = "Tid Scan"
END: Final = 2**63 - 1
STATUSES: Final = ["queued", "running", "succeeded", "failed", "dead_letter", "canceled"]
# They read their arguments and nothing hot; test_doors measures the functions that they are part of.
WRITERS: Final = {"enqueue_rows", "enqueue_write", "insert_jobs", "insert_ready", "no_keys", "row_fault"}
# Partial indexes with the few tenants and definitions that have a gate: read as a whole, up to a limit.
SHORT: Final = {"tenants_gated", "definitions_gated"}

Values = Mapping[str, object]


@dataclass(frozen=True)
class Case:
    """A statement in the function of a verb, its arguments, and by which ways it may read each table."""

    statement: str
    verb: str
    values: Callable[[Database], Values]
    ways: Mapping[str, set[str]]
    batch: int = N
    label: str = ""
    tenant: str = LARGE
    sorts: int = 0
    also: Mapping[str, int] = field(default_factory=dict[str, int])

    def __str__(self) -> str:
        return "-".join(filter(None, [self.statement, self.verb * (self.verb != self.statement), self.label]))


def _lane(db: Database) -> Values:
    (now,) = db.peek("select now()")[0]
    return {
        "v_queue": 1, "v_priority": 100, "v_low": 0, "v_from": 0, "v_n": N, "v_now": now, "v_advanced_at": "-infinity",
        "p_token": uuid4(), "p_begun": False, "p_worker_id": "w", "v_lease": "30 s", "v_knows": None, "v_passed": [],
        "v_tenants": [], "v_definitions": [], "v_there": None,
    }  # fmt: skip


def _lane_known(db: Database) -> Values:
    (ids,) = db.peek("select array_agg(definition_id) from jobplane.definitions")[0]
    return {**_lane(db), "v_knows": ids, "v_there": ids}


def _begin(_: Database) -> Values:
    return {"p_queue": "queue-900", "p_worker_id": "w"}


def _begin_known(_: Database) -> Values:
    return {"p_queue": "queue-900", "p_worker_id": "knows-20"}


def _candidates(db: Database) -> Values:
    """What a look at the lane gives where every job counts against a limit of its tenant's."""
    keys = "array['dt/1/' || c.tenant_id], array[1]"
    look = f"select array_agg(row(c.tid, c.tag, {keys}, null, null, false)::jobplane.candidate)::text"
    rows = "select ctid as tid, * from jobplane.ready where queue_id = 1 and priority = 100 order by tag limit %s"
    return {**_lane(db), "v_batch": db.peek(f"{look} from ({rows}) c", N)[0][0]}


def _leases(db: Database) -> Values:
    """Leases here and there in the table, with what their workers know."""
    some = "select * from jobplane.leases where seq %% 37 = 0 order by token limit %s"
    columns = "array_agg(seq), array_agg(attempt_no), array_agg(token), now()"
    seqs, numbers, tokens, now = db.peek(f"select {columns} from ({some}) l", N)[0]
    nothing = dict.fromkeys(
        ["reasons", "errors", "exit_codes", "retry_afters", "results", "progress", "messages", "begun"]
    )
    return {
        **{f"p_{name}": value for name, value in nothing.items()},
        "p_seqs": seqs, "p_attempt_nos": numbers, "p_tokens": tokens, "v_until": now, "v_now": now,
        "p_max_interruptions": 20, "p_quiet": False, "p_setbacks": False,
        "p_outcomes": "{" + ",".join(["succeeded", "failed", "fatal", "lost", "released"] * (len(seqs) // 5 + 1)) + "}",
    }  # fmt: skip


def _tail(tenant: str, probe: int, priority: int = 100) -> Callable[[Database], Values]:
    return lambda _: {
        "p_tenant": tenant,
        "p_queue": 1,
        "p_priority": priority,
        "p_now": 0,
        "p_step": 1,
        "v_probe": probe,
    }


def _due(_: Database) -> Values:
    return {"v_now": "2100-01-01Z", "p_limit": N}


def _page(*statuses: str) -> Callable[[Database], Values]:
    asked = {"v_statuses": list(statuses), "v_before": END, "v_scan": N, "p_worker_id": None}
    return lambda _: {"v_tenant": LARGE, **asked}


def _written(db: Database) -> Values:
    lines = {"lines": 1, "ats": "2026-01-01Z", "levels": "info", "messages": "m", "fields": None}
    return {**_leases(db), **{f"p_{name}": [value] * N for name, value in lines.items()}}


def _log(db: Database) -> Values:
    """Jobs of the large tenant that have lines, here and there."""
    some = "select seq from jobplane.endings where tenant_id = %s and seq %% 37 = 0 limit %s"
    (seqs,) = db.peek(f"select array_agg(seq) from ({some}) e", LARGE, N)[0]
    return {
        "v_seq": seqs[0], "v_seqs": seqs, "v_tenant": LARGE, "p_after_attempt": 1, "p_after_line": 1, "p_limit": 1000,
        "v_parts": ["%line%", "%2%"],
        "v_patterns": ["(^|[^[:alnum:]])line", "(^|[^[:alnum:]])2"], "v_depth": 100_000, "v_until": "2100-01-01Z",
        "v_left": N, "p_definitions": None, "p_since": None, "p_until": None, "v_levels": None,
    }  # fmt: skip


def _log_of_one(db: Database) -> Values:
    found = _log(db)
    return {**found, "v_seqs": [found["v_seq"]], "v_levels": ["info", "warning", "error"]}


def _hits(db: Database) -> Values:
    found = _log(db)
    names = ("p_definitions", "p_queues", "p_correlation_id", "p_source", "p_source_ref", "p_worker_id", "p_tags")
    more = ("p_metadata", "p_created_after", "p_created_before", "p_triggered_by", "p_trigger_id")
    return {
        **dict.fromkeys((*names, *more)), "v_part": found["v_seqs"], "v_until": "infinity", "v_text": "needle",
        "v_hex": None, "v_by_facts": False, "v_statuses": ["queued"],
    }  # fmt: skip


CLAIMED: Final = {"jobs": {"jobs_pkey"}, "definitions": {"definitions_pkey"}, "clocks": {"clocks_pkey", TID}}
BEGIN: Final = {
    "queues": {"queues_name_key"}, "workers": {"workers_pkey"}, "tenants": {"tenants_gated"},
    "definitions": {"definitions_gated", "definitions_pkey"}, "clocks": {"clocks_pkey", "Bitmap Heap Scan"},
    "ready": {"ready_claim"},
}  # fmt: skip
REQUEUED: Final = {"jobs": {"jobs_pkey"}, "definitions": {"definitions_key_key"}}
LEASES: Final = {"leases": {"leases_pkey", TID}}
WAITING: Final = {table: {f"{table}_pkey"} for table in ("ready", "held", "upcoming")}
LOGS: Final = {f"logs_{block}": {f"logs_{block}_pkey"} for block in range(3)}
TAIL: Final = {"ready": {"ready_line"}}
LISTED: Final = {
    "ready": {"ready_pkey"}, "held": {"held_pkey"}, "upcoming": {"upcoming_pkey"}, "leases": {"leases_tenant"},
    "endings": {"endings_pkey"},
}  # fmt: skip
HITS: Final = {"jobs": {"jobs_pkey"}, "attempts": {"attempts_pkey"}, "results": {"results_pkey"}}

CASES: Final = [
    Case("claim_begin", "claim", _begin, BEGIN, batch=4),
    Case("claim_begin", "claim", _begin_known, BEGIN, batch=20, label="known"),
    Case("claim_open", "claim", _lane, {**CLAIMED, "ready": {"ready_claim", TID}}),
    # Of a claimer that has said what it knows no definition is looked up for a row.
    Case(
        "claim_open",
        "claim",
        _lane_known,
        {**CLAIMED, "definitions": set(), "ready": {"ready_claim", TID}},
        label="known",
    ),
    Case("claim_left", "claim", _lane, {"ready": {"ready_claim"}}),
    Case("claim_look", "claim", _lane, {**CLAIMED, "ready": {"ready_claim"}, "tenants": {"tenants_pkey"}}, sorts=N),
    Case("claim_take", "claim", _candidates, {**CLAIMED, "ready": {TID}, "limits": {"limits_pkey"}}, sorts=N),
    Case("renew", "renew", _leases, LEASES),
    Case("renew_all", "renew_all", _leases, LEASES),
    Case("settle", "settle", _leases, {**LEASES, **REQUEUED, "dedupe": {"dedupe_pkey", TID}}),
    Case("log_leases", "log_lines", _leases, LEASES, sorts=N),
    Case("log_lines", "log_lines", _written, LEASES),
    Case("read_logs", "read_logs", _log, LOGS, batch=3),
    Case("search_logs", "search_logs", _log, {**LOGS, "jobs": {"jobs_pkey"}}, batch=3 * N, sorts=3 * N),
    Case("search_logs", "search_logs", _log_of_one, {**LOGS, "jobs": {"jobs_pkey"}}, batch=3, label="of-one", sorts=3),
    # Who has run before is not known to an index: a tenant's waiting jobs are read, up to a limit.
    Case("search_waiting", "search_logs", _log, WAITING, also=dict.fromkeys(WAITING, 20_000)),
    Case("promote", "promote", _due, {"upcoming": {"upcoming_due", TID}}),
    *[Case("tail_newest", "enqueue", _tail(t, 8), TAIL, 8, t[-1], t) for t in (LARGE, SMALL)],
    *[Case("tail_newest", "promote", _tail(t, 8), TAIL, 8, t[-1], t) for t in (LARGE, SMALL)],
    Case("tail_newest", "enqueue", _tail(LARGE, 512), TAIL, 512, "crowded"),
    Case("tail_newest", "enqueue", _tail(LARGE, 8, 50), TAIL, 8, "before-other-lanes"),
    Case("tail_newest", "promote", _tail(LARGE, 8, 50), TAIL, 8, "before-other-lanes"),
    Case("tail_newest", "enqueue", _tail(LARGE, 8, 0), TAIL, 8, "empty-lane"),
    # A tenant's running jobs are read and sorted: there are no more of them than workers have slots.
    Case("list_seqs", "list_jobs", _page(*STATUSES), LISTED, batch=4 * N, label="all", sorts=600, also={"leases": 600}),
    *[Case("list_hits", verb, _hits, HITS) for verb in ("list_jobs", "list_all_jobs", "count_jobs", "count_all_jobs")],
    *[Case("list_seqs", "list_jobs", _page(s), LISTED, label=s, sorts=600, also={"leases": 600}) for s in STATUSES],
]


# They ask every tenant, or are bounded by 10,000 jobs: test_all_tenants and test_counts look at them.
BOUNDED: Final = {"list_all_seqs", "find_all_seqs", "find_seqs", "count_states", "count_all_states"}


def test_every_statement_with_parameters_has_a_case() -> None:
    there = {path.stem for path in (ROOT / "statements").glob("*.sql")}

    assert there == {case.statement for case in CASES} | WRITERS | BOUNDED


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_hot_statement_reads_what_its_batch_needs(statistics: Database, case: Case) -> None:
    plan = explain(
        statistics, load(case.statement), setting(case.verb, case.statement), case.tenant, case.values(statistics)
    )

    assert not list(_faults(plan, case)), plan.text()


def _faults(plan: Plan, case: Case) -> list[str]:
    bound = 2 * case.batch + 8
    strays = [
        f"{s.table} by {s.way}"
        for s in plan.scans()
        if s.table and s.loops and s.way not in case.ways.get(s.table, set())
    ]
    walks = [
        f"all of {s.way}" for s in plan.scans() if s.index and s.loops and not s.condition and s.index not in SHORT
    ]
    wide = [f"{s.tuples} of {s.table}" for s in plan.scans() if s.tuples > bound + case.also.get(s.table, 0)]
    # Three pages down an index, one of the table for each row, and some for the next leaf. Before PostgreSQL 17 each
    # value of an array goes down the index on its own.
    dear = [f"{s.blocks} pages by {s.way}" for s in plan.scans() if s.blocks > 4 * s.loops + 3 * s.tuples + 8]
    sorts = [f"sorts {plan.sorted_rows()}"] if plan.sorted_rows() > case.sorts + 8 else []
    pages = [f"{plan.blocks} pages"] if plan.blocks > 16 * case.batch + sum(case.also.values()) + 64 else []
    return [*strays, *walks, *wide, *dear, *sorts, *pages]
