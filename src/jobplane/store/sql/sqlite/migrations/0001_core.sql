-- core: the tables of a job's life. A job's state is the table its row is in: ready, held, upcoming, leases or endings.
-- Times are microseconds UTC. Names begin with jobplane_, because the file may be an application's own. One writer at a time: no row
-- is locked, no statement sees half of another's work, and no dead rows lie in an index.

create table jobplane_queues (
  queue_id    integer primary key autoincrement,
  name        text not null unique,
  paused_at   integer,
  turns       integer not null default 0,                     -- counts claims, for the share of the lower priorities
  created_at  integer not null
) strict;

create table jobplane_definitions (
  definition_id           integer primary key autoincrement,
  key                     text not null unique,
  kind                    text check (kind in ('python', 'command', 'connector')),      -- null: unbound
  description             text not null default '',
  arg_schema              text not null default '{"type":"object","additionalProperties":false}',
  queue_id                integer not null references jobplane_queues,
  priority                integer not null default 100 check (priority between 0 and 1000),
  timeout_seconds         integer default 3600 check (timeout_seconds between 1 and 2592000),
  max_attempts            integer not null default 3 check (max_attempts between 1 and 1000),
  backoff_base            real not null default 5 check (backoff_base between 0 and 86400),
  backoff_factor          real not null default 2 check (backoff_factor between 1 and 100),
  backoff_cap             real not null default 300 check (backoff_cap between 0 and 2592000),
  backoff_jitter          real not null default 0.5 check (backoff_jitter between 0 and 1),
  max_running             integer check (max_running >= 0),
  max_running_per_tenant  integer check (max_running_per_tenant >= 0),
  retention_days          integer check (retention_days >= 0),
  retention_days_logs     integer check (retention_days_logs >= 0),
  active                  integer not null default 1 check (active in (0, 1)),
  origin                  text not null default 'db' check (origin in ('code', 'db', 'builtin', 'manager')),
  tags                    text not null default '[]',
  created_at              integer not null,
  updated_at              integer not null
) strict;

create table jobplane_workers (
  worker_id      text primary key,
  hostname       text not null,
  pid            integer,
  version        text not null,
  queues         text not null,
  definitions    text,                                        -- null: runs any
  slots          integer not null,
  running_count  integer not null default 0,
  metadata       text not null,
  started_at     integer not null,
  last_seen_at   integer not null
) strict, without rowid;

-- How many leases count against a key. `used` changes in the transaction that inserts or deletes the lease, so it is a number of lease
-- rows, expired ones too, and no crash can leak a slot.
create table jobplane_limits (
  limit_key  text primary key,
  used       integer not null,
  waiting    integer not null                                 -- a claim has moved rows to held for want of room
) strict, without rowid;

create table jobplane_clocks (
  queue_id  integer,
  priority  integer,
  v         integer not null,                                 -- virtual time: the largest tag handed out; it never goes back
  primary key (queue_id, priority)
) strict, without rowid;

create table jobplane_tenants (
  tenant_no      integer primary key autoincrement,           -- what the other tables say: a uuid as text in each index costs a third more
  tenant_id      text not null unique,
  slug           text not null unique,
  name           text not null default '',
  weight         integer not null default 1 check (weight between 1 and 1000),
  max_in_flight  integer check (max_in_flight >= 0),
  max_pending    integer check (max_pending >= 0),
  paused_at      integer,
  created_at     integer not null,
  updated_at     integer not null
) strict;

-- The facts: written once; only an edit or a replace of a waiting job touches them again.
create table jobplane_jobs (
  seq              integer primary key autoincrement,         -- never used again
  id               text not null,
  tenant_no        integer not null,
  created_at       integer not null,
  scheduled_for    integer not null,                          -- as asked for; where a job stands now is in its state's row
  definition_id    integer not null,
  queue_id         integer not null,
  timeout_seconds  integer,
  backoff_base     real not null,
  backoff_factor   real not null,
  backoff_cap      real not null,
  backoff_jitter   real not null,
  priority         integer not null,
  max_attempts     integer not null,
  source           text not null,
  source_ref       text,
  correlation_id   text,
  created_by       text,
  trace_context    text,
  artifact_ref     text,
  dedupe_key       text,
  idempotency_key  text,
  definition_key   text not null,
  expires_at       integer,
  tags             text,
  metadata         text,
  payload          text not null
) strict;
create unique index jobplane_jobs_id on jobplane_jobs (tenant_no, id);
create index jobplane_jobs_correlation on jobplane_jobs (tenant_no, correlation_id) where correlation_id is not null;
create index jobplane_jobs_owner on jobplane_jobs (tenant_no, metadata ->> '$.owner_user_id') where metadata ->> '$.owner_user_id' is not null;
create index jobplane_jobs_project on jobplane_jobs (tenant_no, metadata ->> '$.project_id') where metadata ->> '$.project_id' is not null;

-- The states. What a move needs travels with the row. An index ends with the rowid, which is the seq.
create table jobplane_ready (
  seq            integer primary key,
  tag            integer not null,                            -- virtual finish time: the order among tenants
  tenant_no      integer not null,
  scheduled_for  integer not null,
  expires_at     integer,
  queue_id       integer not null,
  definition_id  integer not null,
  attempt_no     integer not null,                            -- attempts made so far
  priority       integer not null,
  attempts_left  integer not null,
  interruptions  integer not null,
  deduped        integer not null,                            -- holds a row in dedupe
  alone          integer not null                             -- killed an executor, or stood beside one that died: runs by itself
) strict;
create index jobplane_ready_claim on jobplane_ready (queue_id, priority, tag);
create index jobplane_ready_line on jobplane_ready (tenant_no, queue_id, priority, tag);
create index jobplane_ready_list on jobplane_ready (tenant_no);

create table jobplane_held (
  seq            integer primary key,
  tag            integer not null,
  tenant_no      integer not null,
  scheduled_for  integer not null,
  expires_at     integer,
  queue_id       integer not null,
  definition_id  integer not null,
  attempt_no     integer not null,
  priority       integer not null,
  attempts_left  integer not null,
  interruptions  integer not null,
  deduped        integer not null,
  alone          integer not null,
  gate           text not null,                               -- what shut it: a limit's key, or the definition that nobody knows
  reason         text not null
) strict;
create index jobplane_held_gate on jobplane_held (gate, priority, tag);
create index jobplane_held_list on jobplane_held (tenant_no);

create table jobplane_upcoming (
  seq            integer primary key,
  tenant_no      integer not null,
  scheduled_for  integer not null,
  expires_at     integer,
  queue_id       integer not null,
  definition_id  integer not null,
  attempt_no     integer not null,
  priority       integer not null,
  attempts_left  integer not null,
  interruptions  integer not null,
  deduped        integer not null,
  alone          integer not null
) strict;
create index jobplane_upcoming_due on jobplane_upcoming (scheduled_for);
create index jobplane_upcoming_list on jobplane_upcoming (tenant_no);

create view jobplane_waiting as
select seq, tenant_no, scheduled_for, expires_at, attempt_no, attempts_left, deduped, 'ready' as state from jobplane_ready
union all
select seq, tenant_no, scheduled_for, expires_at, attempt_no, attempts_left, deduped, 'held' from jobplane_held
union all
select seq, tenant_no, scheduled_for, expires_at, attempt_no, attempts_left, deduped, 'upcoming' from jobplane_upcoming;

create table jobplane_leases (
  seq                  integer primary key,
  tenant_no            integer not null,
  token                text not null,                         -- one for each claim; the fence is (seq, attempt_no, token)
  scheduled_for        integer not null,
  started_at           integer not null,
  expires_at           integer not null,
  cancel_requested_at  integer,
  queue_id             integer not null,
  definition_id        integer not null,
  attempt_no           integer not null,
  progress             real,
  priority             integer not null,
  attempts_left        integer not null,
  interruptions        integer not null,
  deduped              integer not null,
  alone                integer not null,
  worker_id            text not null,
  limit_keys           text,                                  -- what it counts against: settle gives back what claim took
  cancel_reason        text,
  progress_message     text
) strict;
create index jobplane_leases_list on jobplane_leases (tenant_no);

create table jobplane_endings (
  seq            integer not null,
  tenant_no      integer not null,
  finished_at    integer not null,
  attempt_no     integer not null,
  status         text not null,
  attempts_left  integer not null,
  reason         text,
  primary key (tenant_no, status, seq)                        -- the list's index, and the only one
) strict, without rowid;

-- Written once, when the attempt ends; while it runs it is the lease.
create table jobplane_attempts (
  seq               integer not null,
  attempt_no        integer not null,
  token             text not null,
  scheduled_for     integer not null,
  started_at        integer not null,
  finished_at       integer not null,
  outcome           text not null,
  led_to            text not null,                            -- what a repeated settle is told
  exit_code         integer,
  progress          real,
  worker_id         text not null,
  reason            text,
  error             text,
  progress_message  text,
  primary key (seq, attempt_no)
) strict, without rowid;

create table jobplane_results (
  seq     integer primary key,
  result  text not null
) strict;

create table jobplane_dedupe (
  tenant_no   integer,
  dedupe_key  text,
  seq         integer not null,
  primary key (tenant_no, dedupe_key)
) strict, without rowid;

create table jobplane_receipts (
  tenant_no        integer,
  definition_id    integer,
  idempotency_key  text,
  seq              integer not null,
  fingerprint      text not null,
  primary key (tenant_no, definition_id, idempotency_key)
) strict, without rowid;

create table jobplane_expiring (
  expires_at  integer,
  seq         integer,
  primary key (expires_at, seq)
) strict, without rowid;

insert into jobplane_tenants (tenant_id, slug, name, created_at, updated_at)
select '00000000-0000-7000-8000-000000000001', 'default', 'Default', m.at, m.at from (select cast(unixepoch() as integer) * 1000000 as at) m;

insert into jobplane_tenants (tenant_id, slug, name, created_at, updated_at)
select '00000000-0000-7000-8000-000000000002', 'system', 'System', m.at, m.at from (select cast(unixepoch() as integer) * 1000000 as at) m;

insert into jobplane_queues (name, created_at) values ('default', cast(unixepoch() as integer) * 1000000), ('system', cast(unixepoch() as integer) * 1000000);
