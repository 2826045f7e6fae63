-- fire: act on planned times of schedules: the job, the record and the next planned time in one transaction, each planned time at most once
-- in:  for each schedule, once in a call: its tenant and id, the version and the next_run_at that the caller has read, and an action: fire (make the job of a planned
--      time) | release (the same for the one that waits) | miss (pass over planned times) | refuse (record why there is no job) | move (only set the next time)
--      | disable; the planned time, the payload of the job, a reason, how many earlier times are passed over; the next planned time and when it is due;
--      why the schedule is over (null: it is not). Then the version of the time zones, and who asks
-- out: trigger_id, outcome: fired | skipped (by the overlap rule) | waiting | missed | refused | moved | stale (somebody was first, or changed it) | busy (ask again),
--      the job, and the reason
-- owner: engine
-- for: scheduler
create or replace function jobplane.fire(
  p_tenants uuid[], p_triggers uuid[], p_versions int[], p_observed timestamptz[], p_actions text[], p_planned timestamptz[], p_payloads jsonb[], p_reasons text[],
  p_missed int[], p_next timestamptz[], p_due timestamptz[], p_over text[], p_zone_version text, p_by text)
returns table (trigger_id uuid, outcome text, job_id uuid, reason text)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_now      constant timestamptz := jobplane.clock();
  v_before   constant text := coalesce(current_setting('jobplane.tenant_id', true), '');
  v_outcomes text[] := array_fill('stale'::text, array[coalesce(cardinality(p_triggers), 0)]);
  v_jobs     uuid[] := array_fill(null::uuid, array[coalesce(cardinality(p_triggers), 0)]);
  v_reasons  text[] := coalesce(p_reasons, '{}');
  v_waiting  timestamptz[] := array_fill(null::timestamptz, array[coalesce(cardinality(p_triggers), 0)]); -- the planned time that waits from now on
  v          record;
  v_job      record;
begin
  perform set_config('jobplane.actor', jsonb_build_object('type', 'scheduler', 'id', p_by, 'name', 'scheduler')::text, true);
  for v in
    select u.ord, u.action, u.planned, t.tenant_id, t.trigger_id, t.overlap, t.waiting_at
      from unnest(p_tenants, p_triggers, p_versions, p_observed, p_actions, p_planned) with ordinality u(tenant_id, trigger_id, version, observed, action, planned, ord)
      join jobplane.triggers t on t.tenant_id = u.tenant_id and t.trigger_id = u.trigger_id
     where t.version = u.version and t.is_enabled and t.next_run_at is not distinct from u.observed and (u.action <> 'release' or t.waiting_at = u.planned)
     order by t.tenant_id, t.trigger_id
       for no key update of t skip locked
  loop
    v_outcomes[v.ord] := case
      when v.action in ('fire', 'release', 'miss', 'refuse') and exists (select from jobplane.fires f where f.tenant_id = v.tenant_id and f.trigger_id = v.trigger_id
                                                        and f.planned_at = v.planned and f.job_id is not null) then 'moved'
      when v.action = 'release' then case when jobplane.active_jobs(v.tenant_id, v.trigger_id) = '{}' then 'fired' else 'held' end
      when v.action = 'fire' then jobplane.judge_overlap(v.tenant_id, v.trigger_id, v.overlap, v.waiting_at is not null)
      when v.action = 'miss' then 'missed'
      when v.action = 'refuse' then 'refused'
      when v.action in ('move', 'disable') then 'moved' end;
    if v_outcomes[v.ord] is null then
      raise exception 'Unknown action "%" of a schedule.', v.action using errcode = 'JP002';
    end if;
    v_waiting[v.ord] := case when v_outcomes[v.ord] = 'waiting' then v.planned
                             when v.action = 'disable' or v_outcomes[v.ord] <> 'held' and v.waiting_at = v.planned then null else v.waiting_at end;
  end loop;
  -- One call for each tenant: the jobs of a tenant stand in its own lanes, and count against its own limits.
  for v in
    select t.tenant_id, array_agg(u.ord order by u.ord) as ords, array_agg(d.key order by u.ord) as definitions, array_agg(u.payload order by u.ord) as payloads,
           array_agg(q.name order by u.ord) as queues, array_agg(t.priority::int order by u.ord) as priorities, array_agg(t.max_attempts::int order by u.ord) as max_attempts,
           array_agg(t.trigger_id::text order by u.ord) as refs, array_agg(t.trigger_id order by u.ord) as ids, array_agg(u.planned order by u.ord) as planned,
           array_agg(t.backoff order by u.ord) as backoffs
      from unnest(p_tenants, p_triggers, p_planned, p_payloads, v_outcomes) with ordinality u(tenant_id, trigger_id, planned, payload, outcome, ord)
      join jobplane.triggers t on t.tenant_id = u.tenant_id and t.trigger_id = u.trigger_id
      left join jobplane.definitions d on d.definition_id = t.definition_id
      left join jobplane.queues q on q.queue_id = t.queue_id
     where u.outcome = 'fired' group by t.tenant_id order by t.tenant_id
  loop
    perform set_config('jobplane.tenant_id', v.tenant_id::text, true);
    for v_job in
      select v.ords[e.ord] as place, e.* from jobplane.enqueue_many(
        p_definitions => v.definitions, p_payloads => v.payloads, p_queues => nullif(v.queues, array_fill(null::text, array[cardinality(v.ids)])),
        p_priorities => nullif(v.priorities, array_fill(null::int, array[cardinality(v.ids)])), p_sources => array_fill('schedule'::text, array[cardinality(v.ids)]),
        p_source_refs => v.refs, p_max_attempts => nullif(v.max_attempts, array_fill(null::int, array[cardinality(v.ids)])), p_trigger_ids => v.ids,
        p_planned_ats => v.planned, p_backoffs => nullif(v.backoffs, array_fill(null::jsonb, array[cardinality(v.ids)]))) e
    loop
      if v_job.outcome = 'created' then
        v_jobs[v_job.place] := v_job.job_id;
      else
        v_outcomes[v_job.place] := 'refused';
        v_reasons[v_job.place] := v_job.error_code || ': ' || v_job.error;
      end if;
    end loop;
  end loop;
  insert into jobplane.fires as f (tenant_id, trigger_id, planned_at, kind, outcome, fired_at, missed, reason, job_id)
  select u.tenant_id, u.trigger_id, u.planned, 'schedule', u.outcome, v_now, coalesce(u.missed, 0),
         case when u.outcome = 'skipped' then 'overlap' else left(u.reason, 1000) end, u.job_id
    from unnest(p_tenants, p_triggers, p_planned, v_outcomes, p_missed, v_reasons, v_jobs) u(tenant_id, trigger_id, planned, outcome, missed, reason, job_id)
   where u.outcome in ('fired', 'skipped', 'waiting', 'missed', 'refused')
      on conflict (tenant_id, trigger_id, planned_at) do update
     set kind = excluded.kind, outcome = excluded.outcome, fired_at = excluded.fired_at, missed = f.missed + excluded.missed, reason = excluded.reason, job_id = excluded.job_id;
  update jobplane.triggers t
     set next_run_at = u.next, zone_version = p_zone_version,
         due_at = case when u.waiting is null then u.due else least(u.due, v_now + interval '2 s') end, waiting_at = u.waiting,
         is_enabled = u.is_on, disabled_reason = case when not u.is_on then u.over end,
         last_run_at = case when u.job_id is not null then u.planned else t.last_run_at end,
         last_fired_at = case when u.job_id is not null then v_now else t.last_fired_at end,
         last_job_id = coalesce(u.job_id, t.last_job_id),
         last_outcome = case when u.outcome in ('moved', 'held') then t.last_outcome else u.outcome end,
         last_reason = case when u.outcome in ('moved', 'held') then t.last_reason when u.outcome = 'skipped' then 'overlap' else left(u.reason, 1000) end,
         version = t.version + (not u.is_on)::int, updated_at = case when u.is_on then t.updated_at else v_now end
    from (select x.*, x.over is null or x.waiting is not null as is_on
            from unnest(p_tenants, p_triggers, p_planned, p_next, p_due, p_over, v_outcomes, v_reasons, v_jobs, v_waiting)
                   x(tenant_id, trigger_id, planned, next, due, over, outcome, reason, job_id, waiting)
           where x.outcome not in ('stale', 'busy')) u
   where t.tenant_id = u.tenant_id and t.trigger_id = u.trigger_id;
  perform set_config('jobplane.tenant_id', v_before, true);
  return query select u.trigger_id, u.outcome, u.job_id, u.reason
    from unnest(p_triggers, v_outcomes, v_jobs, v_reasons) with ordinality u(trigger_id, outcome, job_id, reason, ord) order by u.ord;
end $$;
