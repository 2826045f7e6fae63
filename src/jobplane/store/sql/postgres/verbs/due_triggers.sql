-- due_triggers: the schedules that have something to do, and when the next one has. What is late by more than a minute comes apart from the rest, so that a
-- long list of it keeps nothing else from firing in time
-- in:  how many that are due since a minute or less, the longest due first; how many that are late, the same
-- out: the time; seconds until the next schedule is due after these (null: none is); each schedule with its tenant, the schema of its definition with the revision,
--      how many of its last fires have failed (null: nothing asks for it), and whether its tenant has a limit on waiting jobs, for which an enqueue may
--      have to wait; the command of its definition. One row without a schedule where none is due
-- owner: engine
-- for: scheduler
create or replace function jobplane.due_triggers(p_limit int default 100, p_late_limit int default 100)
returns table (now timestamptz, next_seconds float8, trigger jobplane.trigger, tenant_slug text, tenant_name text, arg_schema jsonb, revision int, failures int, is_limited boolean, command jsonb)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_tenants uuid[];
  v_ids     uuid[];
begin
  now := jobplane.clock();
  select array_agg(t.tenant_id), array_agg(t.trigger_id) into v_tenants, v_ids from (
    (select t.tenant_id, t.trigger_id from jobplane.triggers t where t.is_enabled and t.due_at <= now and t.due_at > now - interval '60 s'
      order by t.due_at limit least(greatest(p_limit, 0), 1000))
    union all
    (select t.tenant_id, t.trigger_id from jobplane.triggers t where t.is_enabled and t.due_at <= now - interval '60 s'
      order by t.due_at limit least(greatest(p_late_limit, 0), 1000))) t;
  select extract(epoch from t.due_at - now) into next_seconds from jobplane.triggers t where t.is_enabled and t.due_at > now order by t.due_at limit 1;
  if v_ids is null then
    return next;
    return;
  end if;
  return query
    select now, next_seconds, s, n.slug, n.name, d.arg_schema, d.revision,
           case when s.pause_after_failures is not null then (
             select count(*) filter (where f.has_failed)::int from (
               select exists (select from jobplane.jobs j, unnest('{failed,dead_letter}'::text[]) x(status), jobplane.endings e
                               where j.tenant_id = f.tenant_id and j.id = f.job_id and e.tenant_id = j.tenant_id and e.status = x.status and e.seq = j.seq) as has_failed
                 from jobplane.fires f join jobplane.triggers t on t.tenant_id = f.tenant_id and t.trigger_id = f.trigger_id
                where f.tenant_id = s.tenant_id and f.trigger_id = s.id and f.outcome = 'fired' and f.kind = 'schedule' and f.fired_at > t.enabled_at
                order by f.planned_at desc limit s.pause_after_failures) f) end,
           n.max_pending is not null, d.command
      from jobplane.show_triggers(v_tenants, v_ids) s join jobplane.tenants n on n.tenant_id = s.tenant_id
      left join lateral (select d.arg_schema, d.revision, d.command from jobplane.definitions d where d.key = s.definition_key offset 0) d on true;
end $$;
