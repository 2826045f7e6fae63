-- enqueue_many: many jobs of the tenant that is set, in the caller's transaction, columns as arrays; one answer for each row, and no row sinks another
-- in:  definitions, payloads; the rest may be null as a whole or for a row: the definition's own then. delays in seconds, by the database's clock.
--      trigger_ids and planned_ats: of jobs that a trigger makes; backoffs {base, factor, cap, jitter}
-- out: ord, job_id, outcome: created | existing (it has the row's id, idempotency key or dedupe key) | replaced | postponed | refused, error_code, error
-- replace and postpone are refused as duplicate_job where a job of another definition holds the dedupe key; job_id is that job
-- A duplicate waits for the transaction that holds its key, then answers with that job; at REPEATABLE READ and above that raises 40001.
-- owner: doors
-- for: app, admin, engine
create or replace function jobplane.enqueue_many(
  p_definitions text[], p_payloads jsonb[], p_ids uuid[] default null, p_queues text[] default null, p_priorities int[] default null,
  p_scheduled_fors timestamptz[] default null, p_delays double precision[] default null, p_expires_ats timestamptz[] default null,
  p_dedupe_keys text[] default null, p_on_duplicates text[] default null, p_idempotency_keys text[] default null, p_correlation_ids text[] default null,
  p_tags jsonb[] default null, p_metadata jsonb[] default null, p_sources text[] default null, p_source_refs text[] default null,
  p_created_bys text[] default null, p_trace_contexts text[] default null, p_artifact_refs text[] default null, p_max_attempts int[] default null,
  p_timeouts int[] default null, p_trigger_ids uuid[] default null, p_planned_ats timestamptz[] default null, p_backoffs jsonb[] default null)
returns table (ord bigint, job_id uuid, outcome text, error_code text, error text)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set enable_sort = on set enable_incremental_sort = on set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_tenant         jobplane.tenants;
  v_step           bigint;
  v_by             constant jsonb := jobplane.current_actor();
  v_now            timestamptz := jobplane.clock();
  v_count          constant int := coalesce(cardinality(p_definitions), 0);
  v_facts          constant boolean := num_nonnulls(p_priorities, p_max_attempts, p_timeouts, p_sources, p_on_duplicates, p_tags, p_metadata, p_dedupe_keys,
                                                    p_idempotency_keys, p_correlation_ids, p_source_refs, p_created_bys, p_artifact_refs, p_trace_contexts,
                                                    p_trigger_ids, p_planned_ats, p_backoffs) > 0;
  v_seqs           bigint[];
  v_given          boolean[];
  v_found          uuid[];
  v_outcomes       text[];
  v_faults         text[];
  v_definition_ids int[];
  v_times          timestamptz[];
  v_room           int;
  v_end            bigint;
  v                record;
begin
  select * into v_tenant from jobplane.tenants t where t.tenant_id = jobplane.current_tenant();
  if not found then
    raise exception 'There is no such tenant.' using errcode = 'JP011';
  elsif v_count > 10000 then
    raise exception 'Cannot enqueue % jobs in one call. Enqueue at most 10000 at a time.', v_count using errcode = 'JP002';
  elsif coalesce(cardinality(p_payloads), 0) <> v_count then
    raise exception 'There are % definitions but % payloads. Pass a payload for each definition.', v_count, coalesce(cardinality(p_payloads), 0) using errcode = 'JP002';
  end if;
  v_step := 1000000 / v_tenant.weight;
  -- One plain row goes a short way, at half the cost. What it would refuse goes the general one, which answers with a row.
  if v_count = 1 and not v_facts and v_tenant.max_pending is null and num_nonnulls(p_ids, p_queues, p_scheduled_fors, p_delays, p_expires_ats) = 0
     and jobplane.payload_fault(p_payloads[1]) is null then
    select nextval('jobplane.jobs_seq_seq') as seq, d.*, coalesce(c.v, 0) as clock, q.wanted_until > v_now as wanted into v
      from jobplane.definitions d join jobplane.queues q using (queue_id) left join jobplane.clocks c on c.queue_id = d.queue_id and c.priority = d.priority
     where d.key = p_definitions[1] and d.active;
    if found then
      ord := 1;
      job_id := jobplane.new_id();
      outcome := 'created';
      with r as (
        select v.seq, job_id as id, v_tenant.tenant_id, v_now as created_at, v_now as scheduled_for, v.definition_id, v.queue_id, v.timeout_seconds, v.backoff_base,
               v.backoff_factor, v.backoff_cap, v.backoff_jitter, v.priority, v.max_attempts, null as source, null as source_ref, null as correlation_id,
               null as created_by, null as trace_context, null as artifact_ref, v.key as definition_key, p_payloads[1] as payload, v_by as triggered_by, true as new, /*statement:no_keys*/)
      /*statement:insert_jobs*/;
      v_end := jobplane.find_tail(v.queue_id, v.priority, v_tenant.tenant_id, v.clock, v_step, 1);
      with n as (
        select v.seq, v_end + v_step as new_tag, v_tenant.tenant_id, v_now as scheduled_for,
               null::timestamptz as expires_at, v.queue_id, v.definition_id, 0 as attempt_no, v.priority, v.max_attempts as attempts_left, 0 as interruptions,
               false as deduped, false as alone)
      /*statement:insert_ready*/;
      if v.wanted then perform jobplane.wake(v.queue_id); end if;
      return next;
      return;
    end if;
  end if;
  if p_dedupe_keys is not null or p_idempotency_keys is not null or p_ids is not null or v_tenant.max_pending is not null then
    if v_tenant.max_pending is not null then perform jobplane.lock_pending(v_tenant.tenant_id); end if;
    v_seqs := array(select nextval('jobplane.jobs_seq_seq') from generate_series(1, v_count));
    v_given := array(select u.id is not null from generate_series(1, v_count) i left join unnest(p_ids) with ordinality u(id, ord) on u.ord = i order by i);
    p_ids := array(select coalesce(u.id, jobplane.new_id()) from generate_series(1, v_count) i left join unnest(p_ids) with ordinality u(id, ord) on u.ord = i order by i);
    -- looked at one by one only where a row has a key or its tenant a limit
    select array_agg(/*statement:row_fault*/ order by u.ord), array_agg(d.definition_id order by u.ord),
           array_agg(jobplane.due_time(u.asked_time, u.delay, v_now) order by u.ord)
      into v_faults, v_definition_ids, v_times from /*statement:enqueue_rows*/;
    select h.payloads, h.scheduled_fors, h.holders, h.outcomes into p_payloads, p_scheduled_fors, v_found, v_outcomes
      from jobplane.hold_keys(v_tenant.tenant_id, v_definition_ids, v_seqs, p_ids, v_given, v_faults, p_dedupe_keys, p_on_duplicates, p_idempotency_keys, p_payloads, v_times) h;
    if v_tenant.max_pending is not null then
      v_room := jobplane.pending_room(v_tenant.tenant_id, v_tenant.max_pending);
      for i in 1..v_count loop
        continue when v_outcomes[i] is not null or v_faults[i] is not null;
        v_room := v_room - 1;
        if v_room < 0 then
          perform jobplane.let_go(v_tenant.tenant_id, v_seqs[i], p_dedupe_keys[i], u.definition_id, u.key)
            from unnest(v_found, v_definition_ids, p_idempotency_keys) with ordinality u(found, definition_id, key, ord) where u.ord = i or u.found = p_ids[i];
          v_outcomes := array(select case when i = u.ord or u.found = p_ids[i] then 'quota_exceeded' else u.outcome end
                                from unnest(v_outcomes, v_found) with ordinality u(outcome, found, ord) order by u.ord);
          v_found := array_replace(v_found, p_ids[i], null);
        end if;
      end loop;
    end if;
  end if;
  return query
  /*statement:enqueue_write*/;
  perform jobplane.wake(q.queue_id) from jobplane.queues q
    where q.wanted_until > v_now and q.queue_id in (
      select coalesce(n.queue_id, d.queue_id) from (select distinct u.definition, u.queue from unnest(p_definitions, p_queues) u(definition, queue)) u
        join jobplane.definitions d on d.key = u.definition left join jobplane.queues n on n.name = u.queue);
end $$;
