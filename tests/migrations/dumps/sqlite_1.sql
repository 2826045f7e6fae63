BEGIN TRANSACTION;
CREATE TABLE jobplane_attempts (
  seq               integer not null,
  attempt_no        integer not null,
  token             text not null,
  scheduled_for     integer not null,
  started_at        integer not null,
  finished_at       integer not null,
  outcome           text not null,
  led_to            text not null,
  exit_code         integer,
  progress          real,
  worker_id         text not null,
  reason            text,
  error             text,
  progress_message  text,
  primary key (seq, attempt_no)
) strict, without rowid;
INSERT INTO "jobplane_attempts" VALUES(1,1,'2c5488e2-ee04-429d-9c8c-dbac29a5c891',1794827527468478,1794827527475071,1794827527481272,'succeeded','succeeded',NULL,NULL,'w1',NULL,'it broke',NULL);
INSERT INTO "jobplane_attempts" VALUES(2,1,'afda7474-fe02-4bfc-9b07-d0e4b5d53e15',1794827527495638,1794827527501256,1794827527511677,'fatal','failed',NULL,NULL,'w1',NULL,'it broke',NULL);
INSERT INTO "jobplane_attempts" VALUES(3,1,'f3eac1d3-989c-4b34-80b4-a056195e1c18',1794827527514859,1794827527526651,1794827527534832,'failed','dead_letter',NULL,NULL,'w1',NULL,'it broke',NULL);
INSERT INTO "jobplane_attempts" VALUES(4,1,'5962b22c-43a6-43ca-bb69-2bf76865f18f',1794827527542772,1794827527550597,1794827527558686,'canceled','canceled',NULL,NULL,'w1',NULL,'it broke',NULL);
INSERT INTO "jobplane_attempts" VALUES(5,1,'19408269-72af-40b1-b492-7010805bb9a3',1794827527564298,1794827527573382,1794827527581553,'failed','queued',NULL,NULL,'w1',NULL,'it broke',NULL);
CREATE TABLE jobplane_clocks (
  queue_id  integer,
  priority  integer,
  v         integer not null,
  primary key (queue_id, priority)
) strict, without rowid;
INSERT INTO "jobplane_clocks" VALUES(1,100,7999993);
INSERT INTO "jobplane_clocks" VALUES(3,100,499999);
CREATE TABLE jobplane_dedupe (
  tenant_no   integer,
  dedupe_key  text,
  seq         integer not null,
  primary key (tenant_no, dedupe_key)
) strict, without rowid;
INSERT INTO "jobplane_dedupe" VALUES(3,'k',6);
CREATE TABLE jobplane_definitions (
  definition_id           integer primary key autoincrement,
  key                     text not null unique,
  kind                    text check (kind in ('python', 'command', 'connector')),
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
INSERT INTO "jobplane_definitions" VALUES(1,'d','python','','{"type":"object","additionalProperties":false}',1,100,3600,3,5.0,2.0,300.0,0.0,NULL,NULL,NULL,NULL,1,'db','[]',1794827527456455,1794827527456455);
INSERT INTO "jobplane_definitions" VALUES(2,'few','python','','{"type":"object","additionalProperties":false}',3,100,3600,3,5.0,2.0,300.0,0.5,1,NULL,NULL,NULL,1,'db','["a","ü"]',1794827527456455,1794827527456455);
INSERT INTO "jobplane_definitions" VALUES(3,'off','python','','{"type":"object","additionalProperties":false}',1,100,3600,3,5.0,2.0,300.0,0.5,NULL,NULL,NULL,NULL,0,'db','[]',1794827527456455,1794827527607817);
CREATE TABLE jobplane_endings (
  seq            integer not null,
  tenant_no      integer not null,
  finished_at    integer not null,
  attempt_no     integer not null,
  status         text not null,
  attempts_left  integer not null,
  reason         text,
  primary key (tenant_no, status, seq)
) strict, without rowid;
INSERT INTO "jobplane_endings" VALUES(4,1,1794827527558686,1,'canceled',0,NULL);
INSERT INTO "jobplane_endings" VALUES(3,1,1794827527534832,1,'dead_letter',0,'failed');
INSERT INTO "jobplane_endings" VALUES(2,1,1794827527511677,1,'failed',0,NULL);
INSERT INTO "jobplane_endings" VALUES(1,1,1794827527481272,1,'succeeded',0,NULL);
CREATE TABLE jobplane_expiring (
  expires_at  integer,
  seq         integer,
  primary key (expires_at, seq)
) strict, without rowid;
CREATE TABLE jobplane_held (
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
  gate           text not null,
  reason         text not null
) strict;
INSERT INTO "jobplane_held" VALUES(7,999999,3,1794827527596862,NULL,3,2,0,100,3,0,0,0,'d/2','definition_limit');
INSERT INTO "jobplane_held" VALUES(8,5999994,1,1794827527601019,NULL,1,3,0,100,3,0,0,0,'d/3','definition_inactive');
CREATE TABLE jobplane_jobs (
  seq              integer primary key autoincrement,
  id               text not null,
  tenant_no        integer not null,
  created_at       integer not null,
  scheduled_for    integer not null,
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
INSERT INTO "jobplane_jobs" VALUES(1,'01a1e40e-a52c-7f58-a7f5-1ab09221c1cb',1,1794827527468478,1794827527468478,1,1,3600,5.0,2.0,300.0,0.0,100,1,'manual',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'d',NULL,NULL,NULL,'{}');
INSERT INTO "jobplane_jobs" VALUES(2,'01a1e40e-a547-7b85-803a-e111a540705c',1,1794827527495638,1794827527495638,1,1,3600,5.0,2.0,300.0,0.0,100,1,'manual',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'d',NULL,NULL,NULL,'{}');
INSERT INTO "jobplane_jobs" VALUES(3,'01a1e40e-a55b-7832-b48f-ff5bb096b815',1,1794827527514859,1794827527514859,1,1,3600,5.0,2.0,300.0,0.0,100,1,'manual',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'d',NULL,NULL,NULL,'{}');
INSERT INTO "jobplane_jobs" VALUES(4,'01a1e40e-a576-71cc-8d85-77b49f60ca73',1,1794827527542772,1794827527542772,1,1,3600,5.0,2.0,300.0,0.0,100,1,'manual',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'d',NULL,NULL,NULL,'{}');
INSERT INTO "jobplane_jobs" VALUES(5,'01a1e40e-a58c-7f3b-b061-caa2a9132642',1,1794827527564298,1794827527564298,1,1,3600,5.0,2.0,300.0,0.0,100,3,'manual',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'d',NULL,NULL,NULL,'{"again":true}');
INSERT INTO "jobplane_jobs" VALUES(6,'01a1e40e-a5aa-73a4-ab75-5d4302425822',3,1794827527594711,1794827527594711,2,3,3600,5.0,2.0,300.0,0.5,100,3,'manual',NULL,NULL,NULL,NULL,NULL,'k',NULL,'few',NULL,NULL,NULL,'{"text":"ü\n\t''\"\\"}');
INSERT INTO "jobplane_jobs" VALUES(7,'01a1e40e-a5ac-77da-8434-4463fa06e7ab',3,1794827527596862,1794827527596862,2,3,3600,5.0,2.0,300.0,0.5,100,3,'manual',NULL,'c',NULL,NULL,NULL,NULL,'i','few',NULL,'["x"]',NULL,'{}');
INSERT INTO "jobplane_jobs" VALUES(8,'01a1e40e-a5b1-72ae-8b72-4e748251f0b7',1,1794827527601019,1794827527601019,3,1,3600,5.0,2.0,300.0,0.5,100,3,'manual',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'off',NULL,NULL,'{"owner_user_id":7}','{}');
INSERT INTO "jobplane_jobs" VALUES(9,'01a1e40e-a5b9-752d-ad25-1fa9e3224cf8',1,1794827527609645,1794827527609645,1,1,3600,5.0,2.0,300.0,0.0,100,2,'manual',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'d',NULL,NULL,NULL,'{}');
INSERT INTO "jobplane_jobs" VALUES(10,'01a1e40e-a5cb-7ca4-97bb-bb455b2e530b',1,1794827527627371,1794827527627371,1,1,3600,5.0,2.0,300.0,0.0,100,2,'manual',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'d',NULL,NULL,NULL,'{}');
INSERT INTO "jobplane_jobs" VALUES(11,'01a1e40e-a5db-7e70-ab07-d15d5640685f',1,1794827527643256,2110187527643256,1,1,3600,5.0,2.0,300.0,0.0,100,3,'manual',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'d',NULL,NULL,NULL,'{}');
INSERT INTO "jobplane_jobs" VALUES(12,'01a1e40e-a5de-79bd-9a9e-df731b2a7fa8',3,1794827527646305,1794827527646305,1,1,3600,5.0,2.0,300.0,0.0,5,3,'manual',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'d',NULL,NULL,NULL,'{}');
INSERT INTO "jobplane_jobs" VALUES(13,'01a1e40e-a5de-7bb0-a496-b8e7fa7c991e',3,1794827527646305,1794827527646305,1,1,3600,5.0,2.0,300.0,0.0,100,3,'manual',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'d',NULL,NULL,NULL,'{}');
INSERT INTO "jobplane_jobs" VALUES(14,'01a1e40e-a5de-7ad2-9f88-b4846d536d2f',3,1794827527646305,1794827527646305,1,1,3600,5.0,2.0,300.0,0.0,100,3,'manual',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'d',NULL,NULL,NULL,'{}');
CREATE TABLE jobplane_leases (
  seq                  integer primary key,
  tenant_no            integer not null,
  token                text not null,
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
  limit_keys           text,
  cancel_reason        text,
  progress_message     text
) strict;
INSERT INTO "jobplane_leases" VALUES(6,3,'59db2db1-44cf-4486-8d2f-7e3966653a17',1794827527594711,1794827527598179,1794827557598179,NULL,3,2,1,NULL,100,2,0,1,0,'w1','["d/2"]',NULL,NULL);
INSERT INTO "jobplane_leases" VALUES(9,1,'9feda533-bb4c-40d0-b00c-2f4c55c59b62',1794827527609645,1794827527619030,1794827557640500,NULL,1,1,1,0.25,100,1,0,0,0,'w1',NULL,NULL,NULL);
INSERT INTO "jobplane_leases" VALUES(10,1,'ff8c6e1b-f303-471c-afd7-faf403a34f14',1794827527627371,1794827527630211,1794827557640500,1794827527639002,1,1,1,NULL,100,1,0,0,0,'w1',NULL,'enough',NULL);
CREATE TABLE jobplane_limits (
  limit_key  text primary key,
  used       integer not null,
  waiting    integer not null
) strict, without rowid;
INSERT INTO "jobplane_limits" VALUES('d/2',1,1);
CREATE TABLE jobplane_migrations (number integer primary key, name text not null, applied_at integer not null) strict;
INSERT INTO "jobplane_migrations" VALUES(1,'0001_core.sql',1794827527399335);
CREATE TABLE jobplane_queues (
  queue_id    integer primary key autoincrement,
  name        text not null unique,
  paused_at   integer,
  turns       integer not null default 0,
  created_at  integer not null
) strict;
INSERT INTO "jobplane_queues" VALUES(1,'default',NULL,7,1794827527000000);
INSERT INTO "jobplane_queues" VALUES(2,'system',NULL,0,1794827527000000);
INSERT INTO "jobplane_queues" VALUES(3,'sync',NULL,1,1794827527447507);
CREATE TABLE jobplane_ready (
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
  alone          integer not null
) strict;
INSERT INTO "jobplane_ready" VALUES(12,499999,3,1794827527646305,NULL,1,1,0,5,3,0,0,0);
INSERT INTO "jobplane_ready" VALUES(13,8499992,3,1794827527646305,NULL,1,1,0,100,3,0,0,0);
INSERT INTO "jobplane_ready" VALUES(14,8999992,3,1794827527646305,NULL,1,1,0,100,3,0,0,0);
CREATE TABLE jobplane_receipts (
  tenant_no        integer,
  definition_id    integer,
  idempotency_key  text,
  seq              integer not null,
  fingerprint      text not null,
  primary key (tenant_no, definition_id, idempotency_key)
) strict, without rowid;
INSERT INTO "jobplane_receipts" VALUES(3,2,'i',7,'44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
CREATE TABLE jobplane_results (
  seq     integer primary key,
  result  text not null
) strict;
INSERT INTO "jobplane_results" VALUES(1,'{"files":12}');
CREATE TABLE jobplane_tenants (
  tenant_no      integer primary key autoincrement,
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
INSERT INTO "jobplane_tenants" VALUES(1,'00000000-0000-7000-8000-000000000001','default','Default',1,NULL,NULL,NULL,1794827527000000,1794827527000000);
INSERT INTO "jobplane_tenants" VALUES(2,'00000000-0000-7000-8000-000000000002','system','System',1,NULL,NULL,NULL,1794827527000000,1794827527000000);
INSERT INTO "jobplane_tenants" VALUES(3,'01a1e40e-a50f-7825-b163-dbbcbc497c8a','alice','',2,NULL,NULL,NULL,1794827527439767,1794827527439767);
CREATE TABLE jobplane_upcoming (
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
INSERT INTO "jobplane_upcoming" VALUES(5,1,1794827532581553,NULL,1,1,1,100,2,0,0,0);
INSERT INTO "jobplane_upcoming" VALUES(11,1,2110187527643256,NULL,1,1,0,100,3,0,0,0);
CREATE TABLE jobplane_workers (
  worker_id      text primary key,
  hostname       text not null,
  pid            integer,
  version        text not null,
  queues         text not null,
  definitions    text,
  slots          integer not null,
  running_count  integer not null default 0,
  metadata       text not null,
  started_at     integer not null,
  last_seen_at   integer not null
) strict, without rowid;
INSERT INTO "jobplane_workers" VALUES('w1','there',NULL,'','["default","sync"]',NULL,0,0,'{}',1794827527465172,1794827527465172);
CREATE UNIQUE INDEX jobplane_jobs_id on jobplane_jobs (tenant_no, id);
CREATE INDEX jobplane_jobs_correlation on jobplane_jobs (tenant_no, correlation_id) where correlation_id is not null;
CREATE INDEX jobplane_jobs_owner on jobplane_jobs (tenant_no, metadata ->> '$.owner_user_id') where metadata ->> '$.owner_user_id' is not null;
CREATE INDEX jobplane_jobs_project on jobplane_jobs (tenant_no, metadata ->> '$.project_id') where metadata ->> '$.project_id' is not null;
CREATE INDEX jobplane_ready_claim on jobplane_ready (queue_id, priority, tag);
CREATE INDEX jobplane_ready_line on jobplane_ready (tenant_no, queue_id, priority, tag);
CREATE INDEX jobplane_ready_list on jobplane_ready (tenant_no);
CREATE INDEX jobplane_held_gate on jobplane_held (gate, priority, tag);
CREATE INDEX jobplane_held_list on jobplane_held (tenant_no);
CREATE INDEX jobplane_upcoming_due on jobplane_upcoming (scheduled_for);
CREATE INDEX jobplane_upcoming_list on jobplane_upcoming (tenant_no);
CREATE VIEW jobplane_waiting as
select seq, tenant_no, scheduled_for, expires_at, attempt_no, attempts_left, deduped, 'ready' as state from jobplane_ready
union all
select seq, tenant_no, scheduled_for, expires_at, attempt_no, attempts_left, deduped, 'held' from jobplane_held
union all
select seq, tenant_no, scheduled_for, expires_at, attempt_no, attempts_left, deduped, 'upcoming' from jobplane_upcoming;
CREATE INDEX jobplane_leases_list on jobplane_leases (tenant_no);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('jobplane_tenants',3);
INSERT INTO "sqlite_sequence" VALUES('jobplane_queues',3);
INSERT INTO "sqlite_sequence" VALUES('jobplane_definitions',3);
INSERT INTO "sqlite_sequence" VALUES('jobplane_jobs',14);
COMMIT;
