-- enqueue: one job of the tenant that is set, in the caller's transaction; the plain door for SQL users. With the tenant in the same statement:
--   select e.* from (select set_config('jobplane.tenant_id', $1, true)) s, lateral jobplane.enqueue('resize', '{"width": 80}') e
-- in:  definition, payload; the rest may be null: the definition's own then. delay_seconds by the database's clock; on_duplicate: return | replace | postpone
-- out: job_id; created: false where the job was there already (outcome: existing, replaced or postponed). A refusal is an exception with a typed SQLSTATE
-- owner: doors
-- for: app, admin
create or replace function jobplane.enqueue(
  p_definition text, p_payload jsonb default '{}', p_queue text default null, p_priority int default null, p_scheduled_for timestamptz default null,
  p_delay_seconds double precision default null, p_expires_at timestamptz default null, p_dedupe_key text default null, p_on_duplicate text default null,
  p_idempotency_key text default null, p_correlation_id text default null, p_tags text[] default null, p_metadata jsonb default null,
  p_source text default null, p_source_ref text default null, p_created_by text default null, p_trace_context text default null,
  p_artifact_ref text default null, p_max_attempts int default null, p_timeout_seconds int default null, p_id uuid default null)
returns table (job_id uuid, created boolean, outcome text)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_now    constant timestamptz := jobplane.clock();
  v_at     timestamptz := v_now;
  v_fault  text;
  v_seq    bigint;
  v_tag    bigint;
  v_step   bigint;
  v_tenant jobplane.tenants;
  v        jobplane.definitions;
begin
  select * into v_tenant from jobplane.tenants t where t.tenant_id = jobplane.current_tenant();
  if not found then
    raise exception 'there is no such tenant' using errcode = 'JP011';
  end if;
  select * into v from jobplane.definitions d where d.key = p_definition;
  -- A job without a key goes the short way; what needs a key, a limit, another queue or a longer look goes the general one.
  if not coalesce(v.active, false) or v_tenant.max_pending is not null
     or num_nonnulls(p_dedupe_key, p_idempotency_key, p_id, p_queue, p_tags, p_metadata, p_expires_at, p_on_duplicate) > 0 then
    return query select * from jobplane.enqueue_one(p_definition, p_payload, p_id, p_queue, p_priority, p_scheduled_for, p_delay_seconds, p_expires_at, p_dedupe_key,
      p_on_duplicate, p_idempotency_key, p_correlation_id, to_jsonb(p_tags), p_metadata, p_source, p_source_ref, p_created_by, p_trace_context, p_artifact_ref,
      p_max_attempts, p_timeout_seconds);
    return;
  end if;
  if jsonb_typeof(p_payload) is distinct from 'object' or octet_length(p_payload::text) >= 128 then
    v_fault := jobplane.payload_fault(p_payload);
    if v_fault is not null then raise exception '%', v_fault using errcode = 'JP003'; end if;
  end if;
  if num_nonnulls(p_priority, p_max_attempts, p_timeout_seconds, p_source, p_correlation_id, p_source_ref, p_created_by, p_artifact_ref, p_trace_context) > 0 then
    v_fault := jobplane.facts_fault(p_priority, p_max_attempts, p_timeout_seconds, p_source, null, null, null,
                                    array[p_correlation_id, p_source_ref, p_created_by, p_artifact_ref, p_trace_context]);
    if v_fault is not null then raise exception '%', v_fault using errcode = 'JP002'; end if;
  end if;
  if num_nonnulls(p_scheduled_for, p_delay_seconds) > 0 then
    v_at := jobplane.due_time(p_scheduled_for, p_delay_seconds, v_now);
    if v_at is null then
      raise exception 'scheduled_for must be a time between 2000 and 9999, a delay 0 to 3153600000 seconds' using errcode = 'JP002';
    end if;
  end if;
  v.priority := coalesce(p_priority, v.priority);
  v.max_attempts := coalesce(p_max_attempts, v.max_attempts);
  v_seq := nextval('jobplane.jobs_seq_seq');
  job_id := jobplane.new_id();
  insert into jobplane.jobs (seq, id, tenant_id, created_at, scheduled_for, definition_id, queue_id, timeout_seconds, backoff_base, backoff_factor, backoff_cap,
                             backoff_jitter, priority, max_attempts, source, source_ref, correlation_id, created_by, trace_context, artifact_ref, definition_key,
                             payload) overriding system value
  values (v_seq, job_id, v_tenant.tenant_id, v_now, v_at, v.definition_id, v.queue_id, coalesce(p_timeout_seconds, v.timeout_seconds), v.backoff_base, v.backoff_factor, v.backoff_cap,
          v.backoff_jitter, v.priority, v.max_attempts, coalesce(p_source, 'manual')::jobplane.job_source, p_source_ref, p_correlation_id, p_created_by,
          p_trace_context, p_artifact_ref, p_definition, p_payload);
  if v_at > v_now then
    insert into jobplane.upcoming
    values (v_seq, v_tenant.tenant_id, v_at, null, v.queue_id, v.definition_id, 0, v.priority, v.max_attempts, 0, false, false);
  else
    v_step := 1000000 / v_tenant.weight;
    v_tag := jobplane.line(v.queue_id, v.priority, v_tenant.tenant_id,
                           coalesce((select c.v from jobplane.clocks c where c.queue_id = v.queue_id and c.priority = v.priority), 0), v_step, 1);
    insert into jobplane.ready
    values (v_seq, v_tag + v_step, v_tenant.tenant_id, v_at, null, v.queue_id, v.definition_id, 0, v.priority, v.max_attempts, 0, false, false);
    if (select q.wanted_until > v_now from jobplane.queues q where q.queue_id = v.queue_id) then perform jobplane.wake(v.queue_id); end if;
  end if;
  created := true;
  outcome := 'created';
  return next;
end $$;
