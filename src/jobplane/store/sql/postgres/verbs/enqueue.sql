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
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set enable_sort = off set enable_incremental_sort = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_now    constant timestamptz := jobplane.clock();
  v_tenant constant uuid := nullif(current_setting('jobplane.tenant_id', true), '');
  v_by     jsonb;
  v_at     timestamptz;
  v_fault  text;
  v_end    bigint;
  v        record;
begin
  if num_nonnulls(p_priority, p_scheduled_for, p_delay_seconds, p_max_attempts, p_timeout_seconds, p_source, p_correlation_id, p_source_ref, p_created_by,
                  p_artifact_ref, p_trace_context) > 0 then
    v_at := jobplane.due_time(p_scheduled_for, p_delay_seconds, v_now);
    v_fault := case when v_at is null then 'The scheduled_for must be a time between the years 2000 and 9999, and the delay_seconds between 0 and 3153600000.'
                    else jobplane.facts_fault(p_priority, p_max_attempts, p_timeout_seconds, p_source, null, null, null,
                                              array[p_correlation_id, p_source_ref, p_created_by, p_artifact_ref, p_trace_context]) end;
    if v_fault is not null and p_queue is null and exists (select from jobplane.definitions d where d.key = p_definition and d.active) then
      raise exception using message = v_fault, errcode = 'JP002';
    end if;                                                                   -- else the general way says that the definition or the queue is not there
  end if;
  select nextval('jobplane.jobs_seq_seq') as seq, d.definition_id, d.queue_id, d.timeout_seconds, d.backoff_base, d.backoff_factor, d.backoff_cap, d.backoff_jitter,
         coalesce(p_priority::smallint, d.priority) as priority, coalesce(p_max_attempts::smallint, d.max_attempts) as max_attempts,
         (select 1000000 / t.weight from jobplane.tenants t where t.tenant_id = v_tenant and t.max_pending is null) as step,
         coalesce((select c.v from jobplane.clocks c where c.queue_id = d.queue_id and c.priority = coalesce(p_priority, d.priority)), 0) as clock,
         (select q.wanted_until > v_now from jobplane.queues q where q.queue_id = d.queue_id) as wanted
    into v from jobplane.definitions d where d.key = p_definition and d.active and v_fault is null;
  -- A job without a key goes the short way; what needs a key, a limit, another queue or a longer look goes the general one.
  if v.step is null or num_nonnulls(p_dedupe_key, p_idempotency_key, p_id, p_queue, p_tags, p_metadata, p_expires_at, p_on_duplicate) > 0 then
    return query select o.* from jobplane.enqueue_many(
      array[p_definition], array[p_payload], case when p_id is not null then array[p_id] end, case when p_queue is not null then array[p_queue] end, array[p_priority],
      array[p_scheduled_for], array[p_delay_seconds], array[p_expires_at], case when p_dedupe_key is not null then array[p_dedupe_key] end, array[p_on_duplicate],
      case when p_idempotency_key is not null then array[p_idempotency_key] end, array[p_correlation_id], array[to_jsonb(p_tags)], array[p_metadata], array[p_source],
      array[p_source_ref], array[p_created_by], array[p_trace_context], array[p_artifact_ref], array[p_max_attempts], array[p_timeout_seconds]) m,
      lateral jobplane.enqueue_one(m.job_id, m.outcome, m.error_code, m.error) o;
    return;
  end if;
  if jsonb_typeof(p_payload) is distinct from 'object' or octet_length(p_payload::text) >= 128 then
    v_fault := jobplane.payload_fault(p_payload);
    if v_fault is not null then raise exception using message = v_fault, errcode = 'JP003'; end if;
  end if;
  job_id := jobplane.new_id();
  v_by := jobplane.current_actor();
  with r as (
    select v.seq, job_id as id, v_tenant as tenant_id, v_now as created_at, coalesce(v_at, v_now) as scheduled_for, v.definition_id, v.queue_id,
           coalesce(p_timeout_seconds, v.timeout_seconds) as timeout_seconds, v.backoff_base, v.backoff_factor, v.backoff_cap, v.backoff_jitter, v.priority,
           v.max_attempts, p_source as source, p_source_ref as source_ref, p_correlation_id as correlation_id, p_created_by as created_by,
           p_trace_context as trace_context, p_artifact_ref as artifact_ref, p_definition as definition_key, p_payload as payload, v_by as triggered_by, true as new, /*statement:no_keys*/)
  /*statement:insert_jobs*/;
  if v_at > v_now then
    insert into jobplane.upcoming values (v.seq, v_tenant, v_at, null, v.queue_id, v.definition_id, 0, v.priority, v.max_attempts, 0, false, false);
  else
    -- find_tail() for one producer, written out: as a call it costs a tenth of an enqueue
    select case when count(*) = 0 then v.clock - 1
                when max(tag) >= case when count(*) < 8 then v.clock + count(*) * v.step else min(tag) + 7 * v.step end then max(tag) end into v_end
      from (select r.tag from jobplane.ready r
             where r.tenant_id = v_tenant and r.queue_id = v.queue_id and r.priority = v.priority and r.tag > v.clock order by r.tag desc limit 8) newest;
    if v_end is null then v_end := jobplane.find_tail(v.queue_id, v.priority, v_tenant, v.clock, v.step, 1, true); end if;
    with n as (
      select v.seq, v_end + v.step as new_tag, v_tenant as tenant_id, coalesce(v_at, v_now) as scheduled_for, null::timestamptz as expires_at, v.queue_id,
             v.definition_id, 0 as attempt_no, v.priority, v.max_attempts as attempts_left, 0 as interruptions, false as deduped, false as alone)
    /*statement:insert_ready*/;
    if v.wanted then perform jobplane.wake(v.queue_id); end if;
  end if;
  created := true;
  outcome := 'created';
  return next;
end $$;
