"""The bases of the store's tables: bare statements on the same tables and indexes, and the raw shape alone.

Bare means no functions, row-level security, fence, fairness or gates. The raw shape has the narrowest tables that can
hold a job, a lease and an ending at all: what this machine could do if a queue had to know nothing.
"""

from __future__ import annotations

from typing import Final

from bench.facts import ATTEMPT, ENDING, JOB, LEASE, READY, insert
from bench.rig import Database, Rig

# What the hot functions pin too: without it the planner's guess, not the statement, would be measured.
PLANNER: Final = {
    "plan_cache_mode": "force_generic_plan",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "enable_seqscan": "off",
}

CLAIM: Final = f"""
with c as materialized (
  select ctid as tid from jobplane.ready where queue_id = 1 and priority = 100 and seq > 0
   order by tag limit $1 for update skip locked),
d as (delete from jobplane.ready r using c where r.ctid = c.tid returning r.*),
l as ({insert("leases", LEASE, "from d")})
select d.seq, j.id, d.tenant_id, d.definition_id, j.definition_key, d.attempt_no + 1, d.attempts_left - 1, $2::uuid,
       now() + interval '30 s', d.scheduled_for, j.timeout_seconds, d.alone, j.payload, j.artifact_ref,
       j.correlation_id, j.trace_context, j.source::text, j.source_ref
  from d join jobplane.jobs j on j.seq = d.seq"""

SETTLE: Final = f"""
with d as (delete from jobplane.leases l using unnest($1::bigint[]) x(seq) where l.seq = x.seq returning l.*),
a as ({insert("attempts", ATTEMPT, "from d")})
{insert("endings", ENDING, "from d")}"""

SENT: Final = JOB | {"tenant_id": "$1::uuid", "payload": "p"}
ENQUEUE: Final = f"""
with j as ({insert("jobs", SENT, "from {rows} returning *")})
{insert("ready", READY, "from j")} returning seq"""
ENQUEUE_ONE: Final = ENQUEUE.format(rows="(select $2::jsonb as p) x")
ENQUEUE_MANY: Final = ENQUEUE.format(rows="unnest($2::jsonb[]) p")

RAW_TABLES: Final = """
create table facts (seq bigint generated always as identity primary key, id uuid not null, payload jsonb not null);
create table ready (seq bigint primary key, priority smallint not null);
create table leases (seq bigint primary key, token uuid not null, expires_at timestamptz not null);
create table endings (seq bigint primary key, finished_at timestamptz not null)"""
RAW_SEED: Final = """
with f as (
  insert into facts (id, payload) select jobplane_id, '{payload}'::jsonb
    from (select gen_random_uuid() as jobplane_id from generate_series(1, {n})) g returning seq)
insert into ready select seq, 100 from f"""
RAW_CLAIM: Final = """
with c as materialized (select ctid as tid from ready order by seq limit $1 for update skip locked),
d as (delete from ready r using c where r.ctid = c.tid returning r.seq),
l as (insert into leases select seq, $2, now() + interval '30 s' from d)
select d.seq, f.id, f.payload from d join facts f on f.seq = d.seq"""
RAW_SETTLE: Final = """
with d as (delete from leases l using unnest($1::bigint[]) x(seq) where l.seq = x.seq returning l.seq)
insert into endings select seq, now() from d"""


def raw(rig: Rig) -> str:
    def prepare(database: Database) -> None:
        database.own(RAW_TABLES)

    return rig.template("raw", prepare)
