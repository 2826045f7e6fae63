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
INSERT INTO "jobplane_attempts" VALUES(1,1,'4890700d-a9e8-4569-b00d-79ff8c06737c',1794970239682813,1794970239689954,1794970239698555,'succeeded','succeeded',NULL,NULL,'w1',NULL,'it broke',NULL);
INSERT INTO "jobplane_attempts" VALUES(2,1,'897724e4-4fc0-41c0-bb68-4de4a34a33d3',1794970239711176,1794970239713556,1794970239715795,'fatal','failed',NULL,NULL,'w1',NULL,'it broke',NULL);
INSERT INTO "jobplane_attempts" VALUES(3,1,'f3f7dc57-d8a6-4fef-ae15-6643cc36696d',1794970239719511,1794970239729734,1794970239731910,'failed','dead_letter',NULL,NULL,'w1',NULL,'it broke',NULL);
INSERT INTO "jobplane_attempts" VALUES(4,1,'403d53a1-1be0-45e2-b466-08b9faea1d70',1794970239734429,1794970239744357,1794970239747676,'canceled','canceled',NULL,NULL,'w1',NULL,'it broke',NULL);
INSERT INTO "jobplane_attempts" VALUES(5,1,'e6fa2e1b-72fd-4166-b77e-88f3a9dd8a7e',1794970239750546,1794970239754801,1794970239766573,'failed','queued',NULL,NULL,'w1',NULL,'it broke',NULL);
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
, isolation text not null default 'shared' check (isolation in ('shared', 'process')), on_lost_contact text not null default 'stop' check (on_lost_contact in ('stop', 'continue'))) strict;
INSERT INTO "jobplane_definitions" VALUES(1,'d','python','','{"type":"object","additionalProperties":false}',1,100,3600,3,5.0,2.0,300.0,0.0,NULL,NULL,NULL,NULL,1,'db','[]',1794970239666306,1794970239666306,'shared','stop');
INSERT INTO "jobplane_definitions" VALUES(2,'few','python','','{"type":"object","additionalProperties":false}',3,100,3600,3,5.0,2.0,300.0,0.5,1,NULL,NULL,NULL,1,'db','["a","ü"]',1794970239666306,1794970239666306,'shared','stop');
INSERT INTO "jobplane_definitions" VALUES(3,'off','python','','{"type":"object","additionalProperties":false}',1,100,3600,3,5.0,2.0,300.0,0.5,NULL,NULL,NULL,NULL,0,'code','[]',1794970239666306,1794970239804184,'shared','stop');
CREATE TABLE jobplane_deleted_queues (
  queue_id  integer primary key,
  name      text not null unique
) strict;
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
INSERT INTO "jobplane_endings" VALUES(4,1,1794970239747676,1,'canceled',0,NULL);
INSERT INTO "jobplane_endings" VALUES(3,1,1794970239731910,1,'dead_letter',0,'failed');
INSERT INTO "jobplane_endings" VALUES(2,1,1794970239715795,1,'failed',0,NULL);
INSERT INTO "jobplane_endings" VALUES(1,1,1794970239698555,1,'succeeded',0,NULL);
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
INSERT INTO "jobplane_held" VALUES(7,999999,3,1794970239772893,NULL,3,2,0,100,3,0,0,0,'d/2','definition_limit');
INSERT INTO "jobplane_held" VALUES(8,5999994,1,1794970239791642,NULL,1,3,0,100,3,0,0,0,'d/3','definition_inactive');
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
INSERT INTO "jobplane_jobs" VALUES(1,'01a1ec90-42c3-72e6-9500-8228885476cf',1,1794970239682813,1794970239682813,1,1,3600,5.0,2.0,300.0,0.0,100,1,'manual',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'d',NULL,NULL,NULL,'{}');
INSERT INTO "jobplane_jobs" VALUES(2,'01a1ec90-42df-7714-afc2-73072b6ff05e',1,1794970239711176,1794970239711176,1,1,3600,5.0,2.0,300.0,0.0,100,1,'manual',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'d',NULL,NULL,NULL,'{}');
INSERT INTO "jobplane_jobs" VALUES(3,'01a1ec90-42e7-7258-9b09-8c232bc2f121',1,1794970239719511,1794970239719511,1,1,3600,5.0,2.0,300.0,0.0,100,1,'manual',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'d',NULL,NULL,NULL,'{}');
INSERT INTO "jobplane_jobs" VALUES(4,'01a1ec90-42f6-7870-b5f0-7e8f9397e476',1,1794970239734429,1794970239734429,1,1,3600,5.0,2.0,300.0,0.0,100,1,'manual',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'d',NULL,NULL,NULL,'{}');
INSERT INTO "jobplane_jobs" VALUES(5,'01a1ec90-4306-7f35-8e90-a033bb07fd24',1,1794970239750546,1794970239750546,1,1,3600,5.0,2.0,300.0,0.0,100,3,'manual',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'d',NULL,NULL,NULL,'{"again":true}');
INSERT INTO "jobplane_jobs" VALUES(6,'01a1ec90-431a-780d-abac-1fff9745fbbf',3,1794970239770636,1794970239770636,2,3,3600,5.0,2.0,300.0,0.5,100,3,'manual',NULL,NULL,NULL,NULL,NULL,'k',NULL,'few',NULL,NULL,NULL,'{"text":"ü\n\t''\"\\"}');
INSERT INTO "jobplane_jobs" VALUES(7,'01a1ec90-431d-7757-8773-908a0a4c1be5',3,1794970239772893,1794970239772893,2,3,3600,5.0,2.0,300.0,0.5,100,3,'manual',NULL,'c',NULL,NULL,NULL,NULL,'i','few',NULL,'["x"]',NULL,'{}');
INSERT INTO "jobplane_jobs" VALUES(8,'01a1ec90-432f-7d9a-a457-ef3171f458bd',1,1794970239791642,1794970239791642,3,1,3600,5.0,2.0,300.0,0.5,100,3,'manual',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'off',NULL,NULL,'{"owner_user_id":7}','{}');
INSERT INTO "jobplane_jobs" VALUES(9,'01a1ec90-4347-7f33-ac06-0e2ba655fc11',1,1794970239815337,1794970239815337,1,1,3600,5.0,2.0,300.0,0.0,100,2,'manual',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'d',NULL,NULL,NULL,'{}');
INSERT INTO "jobplane_jobs" VALUES(10,'01a1ec90-435a-7221-bad3-d2c129fc2db3',1,1794970239834339,1794970239834339,1,1,3600,5.0,2.0,300.0,0.0,100,2,'manual',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'d',NULL,NULL,NULL,'{}');
INSERT INTO "jobplane_jobs" VALUES(11,'01a1ec90-438b-7500-aed1-a1f284a7f06d',1,1794970239883030,2110330239883030,1,1,3600,5.0,2.0,300.0,0.0,100,3,'manual',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'d',NULL,NULL,NULL,'{}');
INSERT INTO "jobplane_jobs" VALUES(12,'01a1ec90-438c-74e6-ba64-9afa381ce7b9',3,1794970239884654,1794970239884654,1,1,3600,5.0,2.0,300.0,0.0,5,3,'manual',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'d',NULL,NULL,NULL,'{}');
INSERT INTO "jobplane_jobs" VALUES(13,'01a1ec90-438c-7e86-82a0-622c29c99b6a',3,1794970239884654,1794970239884654,1,1,3600,5.0,2.0,300.0,0.0,100,3,'manual',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'d',NULL,NULL,NULL,'{}');
INSERT INTO "jobplane_jobs" VALUES(14,'01a1ec90-438c-71bd-accc-eacf4b38531a',3,1794970239884654,1794970239884654,1,1,3600,5.0,2.0,300.0,0.0,100,3,'manual',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'d',NULL,NULL,NULL,'{}');
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
, begun integer not null default 1, followed_until integer) strict;
INSERT INTO "jobplane_leases" VALUES(6,3,'8c28e2dd-2123-4512-a6de-1bc51067d3ac',1794970239770636,1794970239786555,1794970269786555,NULL,3,2,1,NULL,100,2,0,1,0,'w1','["d/2"]',NULL,NULL,1,NULL);
INSERT INTO "jobplane_leases" VALUES(9,1,'b3da4d1f-acf8-4c75-9079-51dfb94843d7',1794970239815337,1794970239822452,1794970269873890,NULL,1,1,1,0.25,100,1,0,0,0,'w1',NULL,NULL,NULL,1,NULL);
INSERT INTO "jobplane_leases" VALUES(10,1,'ce8ab7e5-b962-49c3-829b-bb17c736d781',1794970239834339,1794970239852991,1794970269873890,1794970239860350,1,1,1,NULL,100,1,0,0,0,'w1',NULL,'enough',NULL,1,NULL);
CREATE TABLE jobplane_limits (
  limit_key  text primary key,
  used       integer not null,
  waiting    integer not null
) strict, without rowid;
INSERT INTO "jobplane_limits" VALUES('d/2',1,1);
PRAGMA writable_schema=ON;
INSERT INTO sqlite_master(type,name,tbl_name,rootpage,sql)VALUES('table','jobplane_log_words','jobplane_log_words',0,'CREATE VIRTUAL TABLE jobplane_log_words using fts5(message, content = ''jobplane_logs'', content_rowid = ''id'', tokenize = ''unicode61 remove_diacritics 0'')');
CREATE TABLE 'jobplane_log_words_config'(k PRIMARY KEY, v) WITHOUT ROWID;
INSERT INTO "jobplane_log_words_config" VALUES('version',4);
CREATE TABLE 'jobplane_log_words_data'(id INTEGER PRIMARY KEY, block BLOB);
INSERT INTO "jobplane_log_words_data" VALUES(1,X'');
INSERT INTO "jobplane_log_words_data" VALUES(10,X'00000000000000');
CREATE TABLE 'jobplane_log_words_docsize'(id INTEGER PRIMARY KEY, sz BLOB);
CREATE TABLE 'jobplane_log_words_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
CREATE TABLE jobplane_logs (
  id          integer primary key autoincrement,
  seq         integer not null,
  attempt_no  integer not null,
  line        integer not null,
  at          integer not null,
  level       text not null,
  message     text not null,
  fields      text,
  unique (seq, attempt_no, line)
) strict;
CREATE TABLE jobplane_migrations (number integer primary key, name text not null, applied_at integer not null) strict;
INSERT INTO "jobplane_migrations" VALUES(1,'0001_core.sql',1794970239627654);
INSERT INTO "jobplane_migrations" VALUES(2,'0002_workers.sql',1794970239628817);
INSERT INTO "jobplane_migrations" VALUES(3,'0003_logs.sql',1794970239634358);
INSERT INTO "jobplane_migrations" VALUES(4,'0004_queues.sql',1794970239634852);
CREATE TABLE jobplane_queues (
  queue_id    integer primary key autoincrement,
  name        text not null unique,
  paused_at   integer,
  turns       integer not null default 0,
  created_at  integer not null
, description text not null default '' check (length(description) <= 1000)) strict;
INSERT INTO "jobplane_queues" VALUES(1,'default',NULL,7,1794970239000000,'');
INSERT INTO "jobplane_queues" VALUES(2,'system',NULL,0,1794970239000000,'');
INSERT INTO "jobplane_queues" VALUES(3,'sync',NULL,1,1794970239659337,'');
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
INSERT INTO "jobplane_ready" VALUES(12,499999,3,1794970239884654,NULL,1,1,0,5,3,0,0,0);
INSERT INTO "jobplane_ready" VALUES(13,8499992,3,1794970239884654,NULL,1,1,0,100,3,0,0,0);
INSERT INTO "jobplane_ready" VALUES(14,8999992,3,1794970239884654,NULL,1,1,0,100,3,0,0,0);
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
INSERT INTO "jobplane_tenants" VALUES(1,'00000000-0000-7000-8000-000000000001','default','Default',1,NULL,NULL,NULL,1794970239000000,1794970239000000);
INSERT INTO "jobplane_tenants" VALUES(2,'00000000-0000-7000-8000-000000000002','system','System',1,NULL,NULL,NULL,1794970239000000,1794970239000000);
INSERT INTO "jobplane_tenants" VALUES(3,'01a1ec90-42a6-7a6a-82e7-4d4e7a0d0ce7','alice','',2,NULL,NULL,NULL,1794970239654694,1794970239654694);
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
INSERT INTO "jobplane_upcoming" VALUES(5,1,1794970244766573,NULL,1,1,1,100,2,0,0,0);
INSERT INTO "jobplane_upcoming" VALUES(11,1,2110330239883030,NULL,1,1,0,100,3,0,0,0);
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
INSERT INTO "jobplane_workers" VALUES('w1','there',NULL,'','["default","sync"]',NULL,0,0,'{}',1794970239672361,1794970239672361);
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
PRAGMA writable_schema=OFF;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('jobplane_tenants',3);
INSERT INTO "sqlite_sequence" VALUES('jobplane_queues',3);
INSERT INTO "sqlite_sequence" VALUES('jobplane_definitions',3);
INSERT INTO "sqlite_sequence" VALUES('jobplane_jobs',14);
COMMIT;
