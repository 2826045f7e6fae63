-- claim: lease up to p_limit jobs of one queue, urgent ones first, fair between tenants; what a gate shuts moves to held
-- in:  queue, worker id, limit (1 to 1000), lease seconds (5 to 3600)
-- out: one row for each lease; a row without a job and more = true: ask again at once, it could not look at all that may run
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.claim(p_queue text, p_worker_id text, p_limit int default 1, p_lease_seconds int default 30)
returns table (seq bigint, job_id uuid, tenant_id uuid, definition_id int, definition_key text, attempt_no int, attempts_left int, token uuid,
               lease_expires_at timestamptz, scheduled_for timestamptz, timeout_seconds int, priority smallint, alone boolean, payload jsonb, artifact_ref text,
               correlation_id text, trace_context text, source text, source_ref text, more boolean, created_by text,
               trigger_id uuid, planned_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_token constant uuid := gen_random_uuid();
begin
  return query
  select t.seq, (t.job).id, t.tenant_id, t.definition_id, (t.job).definition_key, t.attempt_no, t.attempts_left, case when t.seq is not null then v_token end,
         t.lease_expires_at, t.scheduled_for, (t.job).timeout_seconds, t.priority, t.alone, (t.job).payload, (t.job).artifact_ref, (t.job).correlation_id,
         (t.job).trace_context, (t.job).source::text, (t.job).source_ref, t.more, (t.job).created_by, (t.job).trigger_id, (t.job).planned_at
    from jobplane.take(p_queue, p_worker_id, p_limit, p_lease_seconds, true, v_token) t;
end $$;
