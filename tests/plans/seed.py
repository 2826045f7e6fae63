"""Fills the tables straight, as the engine: a hundred tenants at work among thousands, one of them large."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import psycopg

from tests.database import Database

LARGE: Final = "00000000-0000-7000-8000-000000010001"
TRIGGER: Final = "00000000-0000-7000-9000-000000000001"  # of the large tenant
SMALL: Final = "00000000-0000-7000-8000-000000010042"
STATES: Final = ("ended", "leased", "held", "ready", "upcoming")
FULL: Final = {"ended": 20_000, "leased": 2_000, "held": 5_000, "ready": 50_000, "upcoming": 20_000}
# How many of four jobs are the large tenant's; the others go round.
SHARES: Final = {"ended": 3}
HOT: Final = (
    "jobs",
    "ready",
    "held",
    "upcoming",
    "leases",
    "endings",
    "attempts",
    "results",
    "outputs",
    "dedupe",
    "receipts",
    "expiring",
    "logs",
)
# The rest of what a statement may look up: small in a small installation only.
LOOKED_UP: Final = (
    "tenants",
    "definitions",
    "queues",
    "clocks",
    "limits",
    "workers",
    "api_keys",
    "replies",
    "triggers",
    "fires",
)

_GROUND: Final = """
insert into jobplane.tenants (tenant_id, slug)
  select ('00000000-0000-7000-8000-' || lpad((10000 + g)::text, 12, '0'))::uuid, 'tenant-' || g
    from generate_series(1, 5000) g;
insert into jobplane.queues (name) select 'queue-' || g from generate_series(1, 1000) g;
insert into jobplane.definitions (key, kind, queue_id)
  select 'job-' || g, 'python', 1 from generate_series(1, 1000) g;
insert into jobplane.clocks (queue_id, priority)
  select q, p from generate_series(1, 1000) q, unnest(array[50, 100, 200]) p on conflict do nothing;
insert into jobplane.lanes (queue_id, priority) select queue_id, priority from jobplane.clocks on conflict do nothing;
insert into jobplane.workers (worker_id, queues, definition_ids, started_at, last_seen_at)
  select 'knows-20', '{default}', array_agg(g * 40), now(), now() from generate_series(1, 20) g;
insert into jobplane.workers (worker_id, started_at, last_seen_at) values ('stale', now(), now() - interval '1 hour');
insert into jobplane.api_keys (key_id, tenant_id, role, secret_digest, created_at, created_by)
  select 'seededkey' || lpad(g::text, 3, '0'), ('00000000-0000-7000-8000-' || lpad((10000 + g)::text, 12, '0'))::uuid,
         'viewer', sha256('secret'), now(), '{}' from generate_series(1, 999) g;
insert into jobplane.sessions (digest, principal_type, principal_id, created_at, expires_at, idle_until)
  select sha256(('session-' || key_id)::bytea), 'key', key_id, now(), now() + interval '7 d', now() + interval '30 min'
    from jobplane.api_keys;
insert into jobplane.session_links (digest, principal_type, principal_id, created_at, expires_at)
  select sha256(('link-' || key_id)::bytea), 'key', key_id, now(), now() + interval '10 min' from jobplane.api_keys;
insert into jobplane.replies (tenant_id, operation, key, fingerprint, job_ids, created_at)
  select tenant_id, 'enqueueJob', 'reply-1', sha256('secret'), '{}', now() from jobplane.tenants;
insert into jobplane.triggers (tenant_id, trigger_id, label, trigger_type, cron_expr, once, definition_id,
                               payload_template, dedupe_window_seconds, missed, missed_limit, overlap, spread_seconds,
                               is_enabled, enabled_at, next_run_at, due_at, zone_version, version, created_by,
                               created_at, updated_at)
  select ('00000000-0000-7000-8000-' || lpad((10000 + g)::text, 12, '0'))::uuid,
         ('00000000-0000-7000-9000-' || lpad(g::text, 12, '0'))::uuid, 'nightly', 'schedule', '0 2 * * *', false,
         1 + g % 7, '{}', 300, 'latest', 10, 'allow', 0, true, now(), '2026-01-01 02:00Z',
         now() + interval '1 h' - g * interval '1 s', '2026.1', 1, '{}', now(), now() from generate_series(1, 5000) g;
insert into jobplane.fires (tenant_id, trigger_id, planned_at, kind, outcome, fired_at)
  select t.tenant_id, t.trigger_id, now() - n * interval '1 d', 'schedule', 'skipped', now()
    from jobplane.triggers t, generate_series(1, 4) n;
insert into jobplane.limits (limit_key) select 'dt/1/' || tenant_id from jobplane.tenants;
"""
# A job's numbers are mixed, so that no two columns move together.
_FACTS: Final = """
create temp table seeded on commit drop as
  select g as seq, jobplane.new_id() as id,
         ('00000000-0000-7000-8000-' || lpad((10001 + case when h %% 4 < %(share)s then 0
           else h %% %(tenants)s end)::text, 12, '0'))::uuid as tenant_id,
         1 + (h %% 7)::int as definition_id,
         (case when h %% 10 < 8 then 100 when h %% 10 = 8 then 50 else 200 end)::smallint as priority,
         now() + make_interval(secs => (h %% 10000) * 0.01) as at, (h %% 3)::int as kind, (h / 8) %% 8 = 0 as keyed
    from (select g, abs(hashint8(g)) as h from generate_series(%(first)s::bigint, %(last)s::bigint) g) x;
insert into jobplane.jobs (seq, id, tenant_id, created_at, scheduled_for, definition_id, queue_id, backoff_base,
                           backoff_factor, backoff_cap, backoff_jitter, priority, max_attempts, definition_key,
                           correlation_id, dedupe_key, metadata, payload, trigger_id) overriding system value
  select seq, id, tenant_id, now(), at, definition_id, 1, 5, 2, 300, 0.5, priority, 3, 'job-' || definition_id,
         case when keyed then 'c-' || seq %% 1000 end, case when keyed then 'key-' || seq end,
         case when keyed then jsonb_build_object('owner_user_id', 'u-' || seq %% 1000, 'project_id', seq %% 1000) end,
         '{}', case when keyed then ('00000000-0000-7000-9000-' || lpad((seq %% 1000)::text, 12, '0'))::uuid end
    from seeded;
"""
_WAITING: Final = "tenant_id, at - interval '1 hour', null, 1, definition_id, 0, priority, 3, 0, keyed, false"
_LOGS: Final = """
insert into jobplane.logs
  select seq, tenant_id, now(), 1, n, 'info', 'line ' || n || ' of ' || seq from seeded, generate_series(1, 3) n;"""
_OUTPUTS: Final = """
insert into jobplane.outputs (seq, tenant_id, attempt_no, stdout_bytes, stderr_bytes, bytes_dropped, stdout_tail,
                              stderr_tail)
  select seq, tenant_id, 1, 6, 0, 0, 'line' || seq, '' from seeded where kind < 2;"""
_DEDUPE: Final = "insert into jobplane.dedupe select tenant_id, 'key-' || seq, seq from seeded where keyed;"
_ROWS: Final = {
    "ended": f"""
      insert into jobplane.endings
        select seq, tenant_id, now(), 1, (array['succeeded', 'dead_letter', 'canceled'])[kind + 1]::jobplane.job_status,
               2, null from seeded;
      insert into jobplane.attempts
        select seq, tenant_id, gen_random_uuid(), at, now(), now(), 1, 'succeeded', 'succeeded', 0, null, 'w'
          from seeded;
      insert into jobplane.results select seq, tenant_id, '{{}}' from seeded where kind = 0;
      {_LOGS}
      {_OUTPUTS}
      insert into jobplane.receipts select tenant_id, definition_id, 'i-' || seq, seq, '' from seeded where keyed;""",
    "leased": f"""
      insert into jobplane.leases
        select seq, tenant_id, gen_random_uuid(), at, now(), now() + interval '1 hour', null, 1, definition_id, 1, null,
               priority, 2, 0, keyed, false, 'w' from seeded;
      {_LOGS}
      {_OUTPUTS}
      {_DEDUPE}""",
    "held": f"""
      insert into jobplane.held
        select seq, seq * 1000, {_WAITING}, 'd/' || definition_id, 'definition_limit' from seeded;
      {_DEDUPE}""",
    "ready": f"""
      insert into jobplane.ready
        select seq, row_number() over (partition by tenant_id, priority order by seq) * 1000000, {_WAITING} from seeded;
      {_DEDUPE}""",
    "upcoming": f"""
      insert into jobplane.upcoming
        select seq, tenant_id, at, null, 1, definition_id, 0, priority, 3, 0, keyed, false from seeded;
      insert into jobplane.expiring select at + interval '1 day', seq, tenant_id from seeded where kind = 0;
      {_DEDUPE}""",
}


def connect(db: Database, role: str) -> psycopg.Connection[tuple[Any, ...]]:
    """The owner in the place of another role, past any pooler."""
    conn = psycopg.connect(db.url("owner", direct=True), autocommit=True)
    conn.execute(f"set role {role}".encode())
    return conn


def login(db: Database, role: str) -> psycopg.Connection[tuple[Any, ...]]:
    """A login past any pooler: plans are the server's business."""
    return psycopg.connect(db.url(role, direct=True), autocommit=True)


def prepare(db: Database) -> None:
    """What is there before the first job."""
    with connect(db, "jobplane_engine") as conn:
        conn.execute(_GROUND)


def fill(db: Database, counts: Mapping[str, int], tenants: int = 100) -> None:
    """So many jobs in each state, after those that are there; their seqs follow each other in the order of STATES."""
    with connect(db, "jobplane_engine") as conn:
        for state in STATES:
            with conn.transaction():
                (last,) = conn.execute("select coalesce(max(seq), 0) from jobplane.jobs").fetchone() or (0,)
                where = {
                    "first": last + 1,
                    "last": last + counts[state],
                    "share": SHARES.get(state, 1),
                    "tenants": tenants,
                }
                psycopg.ClientCursor(conn).execute(_FACTS, where)
                conn.execute(_ROWS[state].encode())
    db.own("select setval('jobplane.jobs_seq_seq', (select 1000000))")


def drain(db: Database) -> None:
    """Take every job out again; the tables keep their pages."""
    with connect(db, "jobplane_engine") as conn, conn.transaction():
        for table in HOT:
            conn.execute(f"delete from jobplane.{table}".encode())


def maintain(db: Database, command: str) -> None:
    """ANALYZE or VACUUM all tables, each as its owner, who alone may on PostgreSQL 15 and 16."""
    owners = "select c.relname, pg_get_userbyid(c.relowner) from pg_class c where c.oid = any (%s::regclass[])"
    with psycopg.connect(db.url("owner", direct=True), autocommit=True) as conn:
        for table, owner in conn.execute(owners, [[f"jobplane.{name}" for name in HOT + LOOKED_UP]]).fetchall():
            conn.execute(f"set role {owner}".encode())
            conn.execute(f"{command} jobplane.{table}".encode())
            conn.execute("reset role")
