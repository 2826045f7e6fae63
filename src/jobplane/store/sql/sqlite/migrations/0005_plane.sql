-- plane: API keys, the audit log, replies to repeated requests, and what people have changed in definitions.

alter table jobplane_definitions add column id text;                                                -- a uuid; set below, and by every insert
alter table jobplane_definitions add column app text not null default '';
alter table jobplane_definitions add column app_version text not null default '';
alter table jobplane_definitions add column app_version_order text;                                 -- the version as a text that sorts; null: it is no PEP 440 version, or there is none
alter table jobplane_definitions add column overridden text not null default '[]';                  -- what a person has set: sync leaves these alone
alter table jobplane_definitions add column code text;                                              -- what sync last saw
alter table jobplane_definitions add column definition_hash text;
alter table jobplane_definitions add column revision integer not null default 1;
alter table jobplane_definitions add column retention_count integer check (retention_count >= 0);
alter table jobplane_definitions add column deleted_from_code integer not null default 0 check (deleted_from_code in (0, 1));
alter table jobplane_definitions add column deleted_at integer;
alter table jobplane_definitions add column system integer not null default 0 check (system in (0, 1));
alter table jobplane_definitions add column metadata text not null default '{}';
alter table jobplane_definitions add column default_payload text;
alter table jobplane_definitions add column command text;
update jobplane_definitions set id = lower(format('%s-%s-4%s-a%s-%s', hex(randomblob(4)), hex(randomblob(2)), substr(hex(randomblob(2)), 2), substr(hex(randomblob(2)), 2), hex(randomblob(6))));
update jobplane_definitions set overridden = '["active"]' where not active and origin = 'code';     -- only a person can have switched it off
create unique index jobplane_definitions_public on jobplane_definitions (id);

alter table jobplane_tenants add column timezone text not null default 'UTC' check (length(timezone) between 1 and 64);
alter table jobplane_tenants add column paused_by text;
alter table jobplane_tenants add column paused_reason text check (length(paused_reason) <= 1000);

alter table jobplane_queues add column paused_by text;
alter table jobplane_queues add column paused_reason text check (length(paused_reason) <= 1000);

alter table jobplane_workers add column draining integer not null default 0 check (draining in (0, 1));  -- it is stopping and claims no more jobs

alter table jobplane_jobs add column trigger_id text;
alter table jobplane_jobs add column planned_at integer;
alter table jobplane_jobs add column triggered_by text;
create index jobplane_jobs_trigger on jobplane_jobs (tenant_no, trigger_id) where trigger_id is not null;

-- A key of a tenant, or of the platform: those belong to the tenant system.
create table jobplane_api_keys (
  key_id         text primary key,
  tenant_no      integer not null,
  role           text not null check (role in ('viewer', 'responder', 'tenant_admin', 'super_admin', 'enqueue', 'worker')),
  name           text not null default '' check (length(name) <= 200),
  owner_user_id  text check (length(owner_user_id) between 1 and 500),
  secret_digest  blob not null check (length(secret_digest) = 32),
  created_at     integer not null,
  created_by     text not null,
  expires_at     integer,
  revoked_at     integer,
  last_used_at   integer,
  replaced_by    text
) strict, without rowid;
create index jobplane_api_keys_tenant on jobplane_api_keys (tenant_no, key_id);

-- What people and keys did: written in the transaction of the verb, never changed, never deleted. What belongs to no tenant is the tenant system's.
create table jobplane_audit_log (
  audit_id       integer primary key autoincrement,
  tenant_no      integer not null,
  at             integer not null,
  actor          text not null,                               -- type, id, name: who asked, as the caller says
  login          text not null,                               -- the user of the operating system
  address        text,
  request_id     text,
  action         text not null,
  targets        text not null,                               -- the first 100
  target_count   integer not null,
  before_digest  blob,
  after_digest   blob,
  facts          text not null default '{}'
) strict;
create index jobplane_audit_log_tenant on jobplane_audit_log (tenant_no);
create trigger jobplane_audit_log_kept before delete on jobplane_audit_log begin select raise(abort, 'the audit log is append-only'); end;
create trigger jobplane_audit_log_same before update on jobplane_audit_log begin select raise(abort, 'the audit log is append-only'); end;

-- Each position holds the digest of its row and of the position before, so that a row that was removed or changed shows.
create table jobplane_audit_chain (
  position    integer primary key,
  audit_id    integer not null unique,
  digest      blob not null,
  chained_at  integer not null
) strict;
create trigger jobplane_audit_chain_kept before delete on jobplane_audit_chain begin select raise(abort, 'the audit log is append-only'); end;
create trigger jobplane_audit_chain_same before update on jobplane_audit_chain begin select raise(abort, 'the audit log is append-only'); end;

-- `Idempotency-Key` of a request: written before the act with the ids of the jobs to come, so that a repeated request makes none twice.
create table jobplane_replies (
  tenant_no    integer not null,
  operation    text not null check (length(operation) between 1 and 100),
  key          text not null check (length(key) between 1 and 255),
  fingerprint  blob not null check (length(fingerprint) between 1 and 64),
  job_ids      text not null,
  created_at   integer not null,
  status       integer,                                       -- null: under way, or the server died
  body         text,
  primary key (tenant_no, operation, key)
) strict, without rowid;
create index jobplane_replies_created on jobplane_replies (created_at);
