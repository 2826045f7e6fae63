-- show_triggers: triggers as people see them, in the order of the ids. `late_seconds` is how long the scheduler has been due
create or replace function jobplane.show_triggers(p_tenants uuid[], p_ids uuid[]) returns setof jobplane.trigger language sql stable as $$
  select t.trigger_id, t.tenant_id, t.key, t.label, t.trigger_type, t.event_name, t.cron_expr, t.interval_seconds, t.once, t.timezone, t.starts_at, t.ends_at,
         d.key, t.payload_template, t.dedupe_window_seconds, t.missed, t.missed_limit, t.overlap, t.spread_seconds, t.pause_after_failures, t.max_attempts::int,
         t.priority::int, q.name, t.backoff, t.is_enabled, t.disabled_reason, t.next_run_at, t.due_at, t.waiting_at, t.zone_version, t.last_run_at, t.last_fired_at,
         t.last_job_id, t.last_outcome, t.last_reason, t.version, t.created_by, t.created_at, t.updated_at, n.timezone,
         case when t.is_enabled and t.due_at < c.now then extract(epoch from c.now - t.due_at)::float8 end
    from unnest(p_tenants, p_ids) with ordinality i(tenant_id, trigger_id, ord)
    join lateral (select * from jobplane.triggers t where t.tenant_id = i.tenant_id and t.trigger_id = i.trigger_id offset 0) t on true
    left join lateral (select d.key from jobplane.definitions d where d.definition_id = t.definition_id offset 0) d on true
    left join lateral (select q.name from jobplane.queues q where q.queue_id = t.queue_id offset 0) q on true
    left join lateral (select n.timezone from jobplane.tenants n where n.tenant_id = t.tenant_id offset 0) n on true
    cross join (select jobplane.clock() as now offset 0) c
   order by i.ord
$$;
