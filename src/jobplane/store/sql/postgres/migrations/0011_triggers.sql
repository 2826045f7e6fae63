-- triggers: a tenant's rules "when this happens, enqueue that", and what became of each planned time
-- oldest program: 1

create table jobplane.triggers (
  tenant_id              uuid not null,
  trigger_id             uuid not null,
  key                    text check (length(key) between 1 and 200),                -- names it for configuration as code
  label                  text not null check (length(label) between 1 and 200),     -- names it for people, and may repeat
  trigger_type           text not null check (trigger_type in ('event', 'schedule')),
  event_name             text check (length(event_name) between 1 and 200),
  cron_expr              text check (length(cron_expr) between 1 and 200),
  interval_seconds       int check (interval_seconds between 1 and 31622400),
  once                   boolean not null,
  timezone               text check (length(timezone) between 1 and 64),            -- null: the tenant's
  starts_at              timestamptz,
  ends_at                timestamptz,
  definition_id          int not null,
  payload_template       jsonb not null check (jsonb_typeof(payload_template) = 'object'),
  dedupe_window_seconds  int not null check (dedupe_window_seconds >= 0),
  missed                 text not null check (missed in ('latest', 'skip', 'all')),
  missed_limit           int not null check (missed_limit between 1 and 1000),
  overlap                text not null check (overlap in ('allow', 'skip', 'queue_one', 'cancel_previous')),
  spread_seconds         int not null check (spread_seconds between 0 and 86400),
  pause_after_failures   int check (pause_after_failures between 1 and 100),
  max_attempts           smallint check (max_attempts between 1 and 1000),          -- of its jobs; null: the definition's own
  priority               smallint check (priority between 0 and 1000),
  queue_id               int,
  backoff                jsonb check (jsonb_typeof(backoff) = 'object' and not jsonb_path_exists(backoff, '$.* ? (@.type() != "number" || @ < 0 || @ > 1000000000)')),
  is_enabled             boolean not null,
  disabled_reason        text check (length(disabled_reason) <= 1000),
  enabled_at             timestamptz not null,                                      -- fires before this do not count for pause_after_failures
  next_run_at            timestamptz,                                               -- the next planned time
  due_at                 timestamptz,                                               -- when the scheduler has something to do: the planned time with its spread
  waiting_at             timestamptz,                                               -- the planned time that waits for the job before it (overlap queue_one)
  zone_version           text not null,                                             -- which rules of time zones next_run_at comes from; '': compute it again
  last_run_at            timestamptz,                                               -- the planned time of the last job
  last_fired_at          timestamptz,
  last_job_id            uuid,
  last_outcome           text,
  last_reason            text,
  version                int not null,
  created_by             jsonb not null,
  created_at             timestamptz not null,
  updated_at             timestamptz not null,
  primary key (tenant_id, trigger_id),
  check (trigger_type <> 'event' or event_name is not null and cron_expr is null and interval_seconds is null and not once),
  check (trigger_type <> 'schedule' or event_name is null and num_nonnulls(cron_expr, interval_seconds) + once::int = 1),
  check (not once or starts_at is not null),
  check (trigger_type <> 'schedule' or not is_enabled or due_at is not null)        -- a schedule that is on has a time, or it would never fire
) with (fillfactor = 70);
create unique index triggers_key on jobplane.triggers (tenant_id, key) where key is not null;
create index triggers_due on jobplane.triggers (due_at) where is_enabled and due_at is not null;
create index triggers_newest on jobplane.triggers (trigger_id);                    -- for lists over all tenants
create index triggers_definition on jobplane.triggers (definition_id);
create index triggers_event on jobplane.triggers (tenant_id, event_name) where trigger_type = 'event';

-- What became of a planned time. `missed` counts the planned times before it that were passed over.
create table jobplane.fires (
  tenant_id   uuid not null,
  trigger_id  uuid not null,
  planned_at  timestamptz not null,
  kind        text not null check (kind in ('schedule', 'manual', 'backfill')),
  outcome     text not null check (outcome in ('fired', 'skipped', 'missed', 'refused', 'waiting')),
  fired_at    timestamptz not null,
  missed      int not null default 0,
  reason      text,
  job_id      uuid,
  primary key (tenant_id, trigger_id, planned_at)
);

create type jobplane.trigger as (
  id uuid, tenant_id uuid, key text, label text, trigger_type text, event_name text, cron_expr text, interval_seconds int, once boolean, timezone text,
  starts_at timestamptz, ends_at timestamptz, definition_key text, payload_template jsonb, dedupe_window_seconds int, missed text, missed_limit int, overlap text,
  spread_seconds int, pause_after_failures int, max_attempts int, priority int, queue text, backoff jsonb, is_enabled boolean, disabled_reason text,
  next_run_at timestamptz, due_at timestamptz, waiting_at timestamptz, zone_version text, last_run_at timestamptz, last_fired_at timestamptz, last_job_id uuid,
  last_outcome text, last_reason text, version int, created_by jsonb, created_at timestamptz, updated_at timestamptz, tenant_timezone text, late_seconds float8
);
