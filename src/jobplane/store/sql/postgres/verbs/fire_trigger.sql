-- fire_trigger: make jobs of a trigger of the tenant that is set because a person asks for them: now, or for planned times of the past that made none
-- in:  version: refuse where the trigger has another one; kind: manual | backfill; planned times, and the payload for each. The overlap rule does not count here
-- out: for each planned time outcome: fired | existing (it has made a job already) | refused, the job, and the reason
-- owner: doors
-- for: app, admin
create or replace function jobplane.fire_trigger(p_trigger_id uuid, p_version int, p_kind text, p_planned timestamptz[], p_payloads jsonb[])
returns table (planned_at timestamptz, outcome text, job_id uuid, reason text)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_now     constant timestamptz := jobplane.clock();
  v_tenant  constant uuid := jobplane.current_tenant();
  v_trigger jobplane.triggers;
  v_key     text;
  v_queue   text;
  v_count   int;
  v         record;
begin
  if p_kind not in ('manual', 'backfill') or cardinality(p_planned) > 1000 or cardinality(p_planned) <> cardinality(p_payloads) then
    raise exception 'A trigger is fired by hand for up to 1000 planned times, as manual or backfill, with a payload for each.' using errcode = 'JP002';
  end if;
  v_trigger := jobplane.found_trigger(p_trigger_id, p_version);
  select d.key into v_key from jobplane.definitions d where d.definition_id = v_trigger.definition_id;
  select q.name into v_queue from jobplane.queues q where q.queue_id = v_trigger.queue_id;
  for v in
    select u.planned, u.payload, f.job_id as there from unnest(p_planned, p_payloads) with ordinality u(planned, payload, ord)
      left join jobplane.fires f on f.tenant_id = v_tenant and f.trigger_id = p_trigger_id and f.planned_at = u.planned order by u.ord
  loop
    planned_at := v.planned;
    outcome := 'existing';
    job_id := v.there;
    reason := null;
    if v.there is null then
      select case e.outcome when 'created' then 'fired' else 'refused' end, e.job_id, e.error_code || ': ' || e.error into outcome, job_id, reason
        from jobplane.enqueue_many(
          p_definitions => array[v_key], p_payloads => array[v.payload], p_queues => case when v_queue is not null then array[v_queue] end,
          p_priorities => case when v_trigger.priority is not null then array[v_trigger.priority::int] end, p_sources => array['schedule'],
          p_source_refs => array[p_trigger_id::text], p_max_attempts => case when v_trigger.max_attempts is not null then array[v_trigger.max_attempts::int] end,
          p_trigger_ids => array[p_trigger_id], p_planned_ats => array[v.planned],
          p_backoffs => case when v_trigger.backoff is not null then array[v_trigger.backoff] end) e;
      insert into jobplane.fires as f (tenant_id, trigger_id, planned_at, kind, outcome, fired_at, reason, job_id)
      values (v_tenant, p_trigger_id, v.planned, p_kind, outcome, v_now, reason, job_id)
          on conflict (tenant_id, trigger_id, planned_at) do update
         set kind = excluded.kind, outcome = excluded.outcome, fired_at = excluded.fired_at, reason = excluded.reason, job_id = excluded.job_id;
    end if;
    return next;
  end loop;
  perform jobplane.audit(case p_kind when 'manual' then 'fireTrigger' else 'backfillTrigger' end, v_tenant, array[p_trigger_id::text],
                         p_facts => jsonb_build_object('label', v_trigger.label, 'times', cardinality(p_planned)));
end $$;
