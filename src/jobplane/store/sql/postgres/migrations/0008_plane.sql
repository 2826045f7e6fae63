-- plane: API keys, the audit log, replies to repeated requests, and what people have changed in definitions
-- oldest program: 1

alter table jobplane.definitions
  add column id                 uuid,
  add column app                text not null default '',
  add column app_version        text not null default '',
  add column app_version_order  text collate "C",                        -- the version as a text that sorts; null: it is no PEP 440 version, or there is none
  add column overridden         text[] not null default '{}',            -- what a person has set: sync leaves these alone
  add column code               jsonb,                                   -- what sync last saw
  add column definition_hash    text,
  add column revision           int not null default 1,
  add column retention_count    int check (retention_count >= 0),
  add column deleted_from_code  boolean not null default false,
  add column deleted_at         timestamptz,
  add column system             boolean not null default false,
  add column metadata           jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
  add column default_payload    jsonb check (jsonb_typeof(default_payload) = 'object'),
  add column command            jsonb check (jsonb_typeof(command) = 'object');
update jobplane.definitions set id = gen_random_uuid();
-- The table is small, and locked by this migration anyway.
-- squawk-ignore adding-not-nullable-field
alter table jobplane.definitions alter column id set default gen_random_uuid(), alter column id set not null;
-- squawk-ignore require-concurrent-index-creation
create unique index definitions_id on jobplane.definitions (id);
update jobplane.definitions set overridden = '{active}' where not active and origin = 'code';     -- only a person can have switched it off

alter table jobplane.tenants
  add column timezone       text not null default 'UTC' check (length(timezone) between 1 and 64),
  add column paused_by      text,
  add column paused_reason  text check (length(paused_reason) <= 1000);

-- On 15 and 16 these tables belong to jobplane_hot.
do $$
declare
  v_me    constant name := current_user;
  v_owner constant name := (select pg_get_userbyid(relowner) from pg_class where oid = 'jobplane.queues'::regclass);
begin
  if v_owner <> v_me then execute format('set local role %I', v_owner); end if;
  alter table jobplane.queues
    add column paused_by      text,
    add column paused_reason  text check (length(paused_reason) <= 1000);
  alter table jobplane.workers
    add column draining boolean not null default false;       -- it is stopping and claims no more jobs
  if v_owner <> v_me then execute format('set local role %I', v_me); end if;
end $$;

alter table jobplane.jobs
  add column trigger_id    uuid,
  add column planned_at    timestamptz,
  add column triggered_by  jsonb;

alter type jobplane.job
  add attribute trigger_id    uuid,
  add attribute planned_at    timestamptz,
  add attribute triggered_by  jsonb,
  add attribute updated_at    timestamptz;

-- The functions of the version before stay until this migrate replaces them. The one that makes whole jobs must answer with all columns until then.
do $$
declare
  v_describe constant regprocedure := to_regprocedure('jobplane.describe(uuid, bigint[])');
begin
  if v_describe is not null then
    execute regexp_replace(pg_get_functiondef(v_describe), '(x\.result, j\.seq[^;]*?)(\s+from unnest\(p_seqs\))',
                           '\1, null::uuid, null::timestamptz, null::jsonb, null::timestamptz\2');
  end if;
end $$;

-- A key of a tenant, or of the platform: those belong to the tenant system. No login reads this table: `authenticate` compares the digest.
create table jobplane.api_keys (
  key_id         text primary key check (key_id ~ '^[0-9a-z]{12}$'),
  tenant_id      uuid not null,
  role           text not null check (role in ('viewer', 'responder', 'tenant_admin', 'super_admin', 'enqueue', 'worker')),
  name           text not null default '' check (length(name) <= 200),
  owner_user_id  text check (length(owner_user_id) between 1 and 500),
  secret_digest  bytea not null check (octet_length(secret_digest) = 32),
  created_at     timestamptz not null,
  created_by     jsonb not null,
  expires_at     timestamptz,
  revoked_at     timestamptz,
  last_used_at   timestamptz,
  replaced_by    text,
  check ((tenant_id = '00000000-0000-7000-8000-000000000002') = (role in ('super_admin', 'worker')))
);
create index api_keys_tenant on jobplane.api_keys (tenant_id, key_id);

-- What people and keys did: written in the transaction of the verb, never changed, never deleted. What belongs to no tenant is the tenant system's.
create table jobplane.audit_log (
  audit_id       bigint generated always as identity primary key,
  tenant_id      uuid not null,
  at             timestamptz not null,
  actor          jsonb not null,                              -- type, id, name: who asked, as the caller says
  login          text not null,                               -- the database login that did it
  address        text,
  request_id     text,
  action         text not null,
  targets        text[] not null,                             -- the first 100
  target_count   int not null,
  before_digest  bytea,
  after_digest   bytea,
  facts          jsonb not null default '{}'
);
create index audit_log_tenant on jobplane.audit_log (tenant_id, audit_id);

-- Each position holds the digest of its row and of the position before, so that a row that was removed or changed shows.
create table jobplane.audit_chain (
  position    bigint primary key,
  audit_id    bigint not null unique,
  digest      bytea not null,
  chained_at  timestamptz not null
);

-- One row, locked by whoever prolongs the chain.
create table jobplane.audit_head (
  one       boolean primary key default true check (one),
  position  bigint not null default 0,
  digest    bytea not null default '',
  low       bigint not null default 0,                        -- up to this id every row of the log is in the chain
  mark      bigint not null default 0,                        -- so it will be up to this id, once every transaction up to mark_xid has ended
  mark_xid  xid8
);
insert into jobplane.audit_head default values;

-- `Idempotency-Key` of a request: written before the act with the ids of the jobs to come, so that a repeated request makes none twice.
create table jobplane.replies (
  tenant_id    uuid,
  operation    text check (length(operation) between 1 and 100),
  key          text check (length(key) between 1 and 255),
  fingerprint  bytea not null check (octet_length(fingerprint) between 1 and 64),
  job_ids      uuid[] not null,
  created_at   timestamptz not null,
  status       int,                                           -- null: under way, or the server died
  body         text,
  primary key (tenant_id, operation, key)
);
create index replies_created on jobplane.replies (created_at);
