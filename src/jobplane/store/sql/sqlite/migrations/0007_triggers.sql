-- triggers: a tenant's rules "when this happens, enqueue that", and what became of each planned time.

create table jobplane_triggers (
  trigger_id             text primary key,                                                -- a uuid
  tenant_no              integer not null,
  key                    text check (length(key) between 1 and 200),                      -- names it for configuration as code
  label                  text not null check (length(label) between 1 and 200),           -- names it for people, and may repeat
  trigger_type           text not null check (trigger_type in ('event', 'schedule')),
  event_name             text check (length(event_name) between 1 and 200),
  cron_expr              text check (length(cron_expr) between 1 and 200),
  interval_seconds       integer check (interval_seconds between 1 and 31622400),
  once                   integer not null check (once in (0, 1)),
  timezone               text check (length(timezone) between 1 and 64),                  -- null: the tenant's
  starts_at              integer,
  ends_at                integer,
  definition_id          integer not null,
  payload_template       text not null,
  dedupe_window_seconds  integer not null check (dedupe_window_seconds >= 0),
  missed                 text not null check (missed in ('latest', 'skip', 'all')),
  missed_limit           integer not null check (missed_limit between 1 and 1000),
  overlap                text not null check (overlap in ('allow', 'skip', 'queue_one', 'cancel_previous')),
  spread_seconds         integer not null check (spread_seconds between 0 and 86400),
  pause_after_failures   integer check (pause_after_failures between 1 and 100),
  max_attempts           integer check (max_attempts between 1 and 1000),                 -- of its jobs; null: the definition's own
  priority               integer check (priority between 0 and 1000),
  queue_id               integer,
  backoff                text,
  is_enabled             integer not null check (is_enabled in (0, 1)),
  disabled_reason        text check (length(disabled_reason) <= 1000),
  enabled_at             integer not null,                                                -- fires before this do not count for pause_after_failures
  next_run_at            integer,                                                         -- the next planned time
  due_at                 integer,                                                         -- when the scheduler has something to do: the planned time with its spread
  waiting_at             integer,                                                         -- the planned time that waits for the job before it (overlap queue_one)
  zone_version           text not null,                                                   -- which rules of time zones next_run_at comes from; '': compute it again
  last_run_at            integer,                                                         -- the planned time of the last job
  last_fired_at          integer,
  last_job_id            text,
  last_outcome           text,
  last_reason            text,
  version                integer not null,
  created_by             text not null,
  created_at             integer not null,
  updated_at             integer not null,
  check (trigger_type <> 'event' or event_name is not null and cron_expr is null and interval_seconds is null and not once),
  check (trigger_type <> 'schedule' or event_name is null and (cron_expr is not null) + (interval_seconds is not null) + once = 1),
  check (not once or starts_at is not null),
  check (trigger_type <> 'schedule' or not is_enabled or due_at is not null)              -- a schedule that is on has a time, or it would never fire
) strict, without rowid;
create index jobplane_triggers_tenant on jobplane_triggers (tenant_no, trigger_id);
create unique index jobplane_triggers_key on jobplane_triggers (tenant_no, key) where key is not null;
create index jobplane_triggers_due on jobplane_triggers (due_at) where is_enabled and due_at is not null;
create index jobplane_triggers_definition on jobplane_triggers (definition_id);

-- What became of a planned time. `missed` counts the planned times before it that were passed over.
create table jobplane_fires (
  trigger_id  text not null,
  planned_at  integer not null,
  tenant_no   integer not null,
  kind        text not null check (kind in ('schedule', 'manual', 'backfill')),
  outcome     text not null check (outcome in ('fired', 'skipped', 'missed', 'refused', 'waiting')),
  fired_at    integer not null,
  missed      integer not null default 0,
  reason      text,
  job_id      text,
  primary key (trigger_id, planned_at)
) strict, without rowid;
