-- triggers: rows of triggers as people see them, and what verbs of triggers share

-- statement: show
select t.trigger_id, n.tenant_id, t.key, t.label, t.trigger_type, t.event_name, t.cron_expr, t.interval_seconds, t.once, t.timezone, t.starts_at, t.ends_at,
       d.key, t.payload_template, t.dedupe_window_seconds, t.missed, t.missed_limit,
       t.overlap, t.spread_seconds, t.pause_after_failures, t.max_attempts, t.priority, (select q.name from jobplane_queues q where q.queue_id = t.queue_id),
       t.backoff, t.is_enabled, t.disabled_reason, t.next_run_at, t.due_at, t.waiting_at, t.zone_version, t.last_run_at, t.last_fired_at, t.last_job_id,
       t.last_outcome, t.last_reason, t.version, t.created_by, t.created_at, t.updated_at, n.timezone,
       case when t.is_enabled and t.due_at < x.now then (x.now - t.due_at) / 1000000.0 end, n.slug, n.name, d.arg_schema, d.revision, n.max_pending is not null, d.command, t.enabled_at, t.tenant_no
  from (select ? as now, ? as ids) x cross join json_each(x.ids) i cross join jobplane_triggers t on t.trigger_id = i.value
  join jobplane_tenants n on n.tenant_no = t.tenant_no left join jobplane_definitions d on d.definition_id = t.definition_id
 order by i.key

-- statement: definition
select definition_id from jobplane_definitions where key = ? and deleted_at is null

-- statement: queue
select queue_id from jobplane_queues where name = ?

-- statement: active
select j.id from (select j.id, j.seq, j.tenant_no from jobplane_jobs j where j.tenant_no = ? and j.trigger_id = ? order by j.seq desc limit 100) j
 where not exists (select 1 from jobplane_endings e where e.tenant_no = j.tenant_no and e.status in ('succeeded', 'failed', 'dead_letter', 'canceled') and e.seq = j.seq)

-- statement: made
select job_id from jobplane_fires where trigger_id = ? and planned_at = ?

-- statement: mark
update jobplane_jobs set trigger_id = ?, planned_at = ?, backoff_base = coalesce(? ->> 'base', backoff_base), backoff_factor = coalesce(? ->> 'factor', backoff_factor),
       backoff_cap = coalesce(? ->> 'cap', backoff_cap), backoff_jitter = coalesce(? ->> 'jitter', backoff_jitter)
 where tenant_no = ? and id = ?

-- statement: record
insert into jobplane_fires (trigger_id, planned_at, tenant_no, kind, outcome, fired_at, missed, reason, job_id) values (?, ?, ?, ?, ?, ?, ?, ?, ?)
    on conflict (trigger_id, planned_at) do update
   set kind = excluded.kind, outcome = excluded.outcome, fired_at = excluded.fired_at, missed = missed + excluded.missed, reason = excluded.reason, job_id = excluded.job_id
