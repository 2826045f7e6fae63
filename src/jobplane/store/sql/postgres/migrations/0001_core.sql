-- core: the tables of a job's life. A job's state is the table its row is in: ready, held, upcoming, leases or endings.
-- oldest program: 1

create type jobplane.job_status as enum ('queued', 'running', 'succeeded', 'failed', 'dead_letter', 'canceled');
create type jobplane.job_source as enum ('manual', 'event', 'schedule', 'system');
create type jobplane.attempt_outcome as enum ('succeeded', 'failed', 'fatal', 'timeout', 'canceled', 'lost', 'released');

-- Global, without a tenant.

create table jobplane.queues (
  queue_id      int generated always as identity primary key,
  name          text not null unique check (name ~ '^[a-z0-9]([a-z0-9._-]{0,98}[a-z0-9])?$'),
  paused_at     timestamptz,
  wanted_until  timestamptz not null default '-infinity',     -- an idle worker wants a wake-up until then
  created_at    timestamptz not null default clock_timestamp()
);

create table jobplane.definitions (
  definition_id           int generated always as identity primary key,
  key                     text not null unique check (key ~ '^[A-Za-z0-9]([A-Za-z0-9._-]{0,198}[A-Za-z0-9])?$'),
  kind                    text check (kind in ('python', 'command', 'connector')),      -- null: unbound
  description             text not null default '',
  arg_schema              jsonb not null default '{"type": "object", "additionalProperties": false}' check (jsonb_typeof(arg_schema) in ('object', 'boolean')),
  queue_id                int not null references jobplane.queues,
  priority                smallint not null default 100 check (priority between 0 and 1000),
  timeout_seconds         int default 3600 check (timeout_seconds between 1 and 2592000),
  max_attempts            smallint not null default 3 check (max_attempts between 1 and 1000),
  backoff_base            real not null default 5 check (backoff_base between 0 and 86400),
  backoff_factor          real not null default 2 check (backoff_factor between 1 and 100),
  backoff_cap             real not null default 300 check (backoff_cap between 0 and 2592000),
  backoff_jitter          real not null default 0.5 check (backoff_jitter between 0 and 1),
  max_running             int check (max_running >= 0),
  max_running_per_tenant  int check (max_running_per_tenant >= 0),
  retention_days          int check (retention_days >= 0),
  retention_days_logs     int check (retention_days_logs >= 0),
  active                  boolean not null default true,
  origin                  text not null default 'db' check (origin in ('code', 'db', 'builtin', 'manager')),
  tags                    text[] not null default '{}',
  created_at              timestamptz not null default clock_timestamp(),
  updated_at              timestamptz not null default clock_timestamp()
);
-- What a claim must look at one by one; almost always empty.
create index definitions_gated on jobplane.definitions (definition_id)
  where max_running is not null or max_running_per_tenant is not null or not active;

create table jobplane.workers (
  worker_id       text primary key check (length(worker_id) between 1 and 200),
  hostname        text not null default '',
  pid             int,
  version         text not null default '',
  queues          text[] not null default '{}',
  definitions     text[],                                     -- null: runs any
  definition_ids  int[],
  slots           int not null default 0,
  running_count   int not null default 0,
  metadata        jsonb not null default '{}',
  started_at      timestamptz not null,
  last_seen_at    timestamptz not null
);

-- How many leases count against a key. `used` changes under this row's lock in the transaction that inserts or deletes the lease, so it is a
-- number of lease rows, expired ones too, and no crash can leak a slot.
create table jobplane.limits (
  limit_key  text collate "C" primary key,
  used       int not null default 0,
  waiting    boolean not null default false                   -- a claim has moved rows to held for want of room
) with (fillfactor = 20);

create table jobplane.clocks (
  queue_id     int,
  priority     smallint,
  v            bigint not null default 0,                     -- virtual time: the largest tag handed out; it never goes back
  low          bigint not null default 0,                     -- nothing waits below; claims start here and not in a graveyard of dead rows
  mark         bigint not null default 0,                     -- v at the last tick
  advanced_at  timestamptz not null default '-infinity',
  primary key (queue_id, priority)
) with (fillfactor = 20);

create sequence jobplane.turns;                               -- counts claims, for the share of the lower priorities

-- One row that a claim looks at, and what its gates say.
create type jobplane.candidate as (tid tid, tag bigint, keys text[], maxes int[], gate text, reason text, expired boolean);

-- A tenant's own. Unique indexes of what a tenant can read lead with tenant_id, so that no key of another tenant can be probed.

create table jobplane.tenants (
  tenant_id      uuid primary key,
  slug           text not null unique check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  name           text not null default '',
  weight         int not null default 1 check (weight between 1 and 1000),
  max_in_flight  int check (max_in_flight >= 0),
  max_pending    int check (max_pending >= 0),
  paused_at      timestamptz,
  created_at     timestamptz not null default clock_timestamp(),
  updated_at     timestamptz not null default clock_timestamp()
);
create index tenants_gated on jobplane.tenants (tenant_id) where max_in_flight is not null or paused_at is not null;

-- The facts: written once; only an edit or a replace of a waiting job touches them again. Types and verbs say what may stand here: a CHECK
-- is read from its text at every statement, a tenth of a single enqueue.
create table jobplane.jobs (
  seq              bigint generated always as identity primary key,
  id               uuid not null,
  tenant_id        uuid not null,
  created_at       timestamptz not null,
  scheduled_for    timestamptz not null,                      -- as asked for; where a job stands now is in its state's row
  definition_id    int not null,
  queue_id         int not null,
  timeout_seconds  int,
  backoff_base     real not null,
  backoff_factor   real not null,
  backoff_cap      real not null,
  backoff_jitter   real not null,
  priority         smallint not null,
  max_attempts     smallint not null,
  source           jobplane.job_source not null default 'manual',
  source_ref       text,
  correlation_id   text,
  created_by       text,
  trace_context    text,
  artifact_ref     text,
  dedupe_key       text,
  idempotency_key  text,
  definition_key   text not null,                             -- beside its id: a look at definitions for each claimed row costs 2 of 15 microseconds
  expires_at       timestamptz,
  tags             text[],
  metadata         jsonb,
  payload          jsonb not null
);
create unique index jobs_id on jobplane.jobs (tenant_id, id);
create index jobs_correlation on jobplane.jobs (tenant_id, correlation_id) where correlation_id is not null;
-- What belongs to a user or a project of the application, where its metadata says so; a value there has 500 characters at most.
create index jobs_owner on jobplane.jobs (tenant_id, (metadata -> 'owner_user_id'), seq) where metadata -> 'owner_user_id' is not null;
create index jobs_project on jobplane.jobs (tenant_id, (metadata -> 'project_id'), seq) where metadata -> 'project_id' is not null;

-- The states. No foreign keys: each check would write a row lock into the facts (claim and settle at 0.62 of the speed).
-- What a move needs travels with the row, so that no move but a requeue reads the facts.
create table jobplane.ready (
  seq            bigint not null,
  tag            bigint not null,                             -- virtual finish time: the order among tenants
  tenant_id      uuid not null,
  scheduled_for  timestamptz not null,
  expires_at     timestamptz,
  queue_id       int not null,
  definition_id  int not null,
  attempt_no     int not null,                                -- attempts made so far
  priority       smallint not null,
  attempts_left  smallint not null,
  interruptions  smallint not null,
  deduped        boolean not null,                            -- holds a row in dedupe
  alone          boolean not null,                            -- killed an executor, or stood beside one that died: runs by itself
  primary key (tenant_id, seq)
);
-- Their predicates hold for every row, and keep each index to the statements that say them: on statistics of an empty table any index that begins
-- with the tenant costs the same, and a lookup of one job would walk through its tenant's whole line.
create index ready_claim on jobplane.ready (queue_id, priority, tag) where seq > 0;
create index ready_line on jobplane.ready (tenant_id, queue_id, priority, tag) where tag is not null;

create table jobplane.held (
  seq            bigint not null,
  tag            bigint not null,
  tenant_id      uuid not null,
  scheduled_for  timestamptz not null,
  expires_at     timestamptz,
  queue_id       int not null,
  definition_id  int not null,
  attempt_no     int not null,
  priority       smallint not null,
  attempts_left  smallint not null,
  interruptions  smallint not null,
  deduped        boolean not null,
  alone          boolean not null,
  gate           text collate "C" not null,                   -- what shut it: a limit's key, or the definition that nobody knows
  reason         text not null,
  primary key (tenant_id, seq)
);
create index held_gate on jobplane.held (gate, priority, tag);

create table jobplane.upcoming (
  seq            bigint not null,
  tenant_id      uuid not null,
  scheduled_for  timestamptz not null,
  expires_at     timestamptz,
  queue_id       int not null,
  definition_id  int not null,
  attempt_no     int not null,
  priority       smallint not null,
  attempts_left  smallint not null,
  interruptions  smallint not null,
  deduped        boolean not null,
  alone          boolean not null,
  primary key (tenant_id, seq)
);
create index upcoming_due on jobplane.upcoming (scheduled_for);

create table jobplane.leases (
  seq                  bigint primary key,
  tenant_id            uuid not null,
  token                uuid not null,                         -- one for each claim; the fence is (seq, attempt_no, token)
  scheduled_for        timestamptz not null,
  started_at           timestamptz not null,
  expires_at           timestamptz not null,                  -- in no index: renew and cancel stay HOT updates
  cancel_requested_at  timestamptz,
  queue_id             int not null,
  definition_id        int not null,
  attempt_no           int not null,
  progress             real,
  priority             smallint not null,
  attempts_left        smallint not null,
  interruptions        smallint not null,
  deduped              boolean not null,
  alone                boolean not null,
  worker_id            text not null,
  limit_keys           text[] collate "C",                    -- what it counts against: settle gives back what claim took
  cancel_reason        text,
  progress_message     text
) with (fillfactor = 70);
-- Without seq: on statistics of an empty table the planner takes any index that has it, and reads it all.
create index leases_tenant on jobplane.leases (tenant_id) where attempt_no > 0;

create table jobplane.endings (
  seq            bigint not null,
  tenant_id      uuid not null,
  finished_at    timestamptz not null,
  attempt_no     int not null,
  status         text collate "C" not null,                     -- text: comparing an enum is not leakproof, and so no index condition under row security
  attempts_left  smallint not null,
  reason         text,
  primary key (tenant_id, status, seq)                          -- the list's index, and the only one: a job has one ending, which the verbs see to
);

-- Written once, when the attempt ends; while it runs it is the lease.
create table jobplane.attempts (
  seq               bigint not null,
  tenant_id         uuid not null,
  token             uuid not null,
  scheduled_for     timestamptz not null,
  started_at        timestamptz not null,
  finished_at       timestamptz not null,
  attempt_no        int not null,
  outcome           jobplane.attempt_outcome not null,
  led_to            jobplane.job_status not null,             -- what a repeated settle is told
  exit_code         int,
  progress          real,
  worker_id         text not null,
  reason            text,
  error             text,
  progress_message  text,
  primary key (seq, attempt_no)
);

create table jobplane.results (
  seq        bigint primary key,
  tenant_id  uuid not null,
  result     jsonb not null
);

create table jobplane.dedupe (
  tenant_id   uuid,
  dedupe_key  text,
  seq         bigint not null,
  primary key (tenant_id, dedupe_key)
);

create table jobplane.receipts (
  tenant_id        uuid,
  definition_id    int,
  idempotency_key  text,
  seq              bigint not null,
  fingerprint      bytea not null,
  primary key (tenant_id, definition_id, idempotency_key)
);

-- Where a tenant with a pending limit stands in line: who enqueues takes its row until commit.
create table jobplane.pending (
  tenant_id  uuid primary key,
  turns      bigint not null
);

create table jobplane.expiring (
  expires_at  timestamptz,
  seq         bigint,
  tenant_id   uuid not null,
  primary key (expires_at, seq)
);

insert into jobplane.tenants (tenant_id, slug, name)
values ('00000000-0000-7000-8000-000000000001', 'default', 'Default'), ('00000000-0000-7000-8000-000000000002', 'system', 'System');
insert into jobplane.queues (name) values ('default'), ('system');

-- A whole job, as every reader sees it.
create type jobplane.job as (
  id                   uuid,
  tenant_id            uuid,
  definition_key       text,
  queue                text,
  status               text,
  priority             int,
  payload              jsonb,
  source               text,
  source_ref           text,
  correlation_id       text,
  created_by           text,
  trace_context        text,
  artifact_ref         text,
  dedupe_key           text,
  idempotency_key      text,
  tags                 text[],
  metadata             jsonb,
  created_at           timestamptz,
  scheduled_for        timestamptz,
  expires_at           timestamptz,
  started_at           timestamptz,
  first_started_at     timestamptz,
  finished_at          timestamptz,
  attempt_no           int,
  attempts             int,
  max_attempts         int,
  timeout_seconds      int,
  worker_id            text,
  lease_expires_at     timestamptz,
  cancel_requested_at  timestamptz,
  cancel_reason        text,
  held_by              text,
  reason               text,
  error                text,
  progress             real,
  progress_message     text,
  result               jsonb,
  cursor               bigint
);
