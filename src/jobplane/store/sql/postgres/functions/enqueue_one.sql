-- enqueue_one: the general way for one job; what enqueue_many refuses in its answer is an exception here
create or replace function jobplane.enqueue_one(
  p_definition text, p_payload jsonb, p_id uuid, p_queue text, p_priority int, p_scheduled_for timestamptz, p_delay_seconds double precision, p_expires_at timestamptz,
  p_dedupe_key text, p_on_duplicate text, p_idempotency_key text, p_correlation_id text, p_tags jsonb, p_metadata jsonb, p_source text, p_source_ref text,
  p_created_by text, p_trace_context text, p_artifact_ref text, p_max_attempts int, p_timeout_seconds int)
returns table (job_id uuid, created boolean, outcome text) language plpgsql volatile as $$
declare
  v      record;
  v_hint text;
begin
  select * into v from jobplane.enqueue_many(
    array[p_definition], array[p_payload], case when p_id is not null then array[p_id] end, case when p_queue is not null then array[p_queue] end, array[p_priority],
    array[p_scheduled_for], array[p_delay_seconds], array[p_expires_at], case when p_dedupe_key is not null then array[p_dedupe_key] end, array[p_on_duplicate],
    case when p_idempotency_key is not null then array[p_idempotency_key] end, array[p_correlation_id], array[p_tags], array[p_metadata], array[p_source],
    array[p_source_ref], array[p_created_by], array[p_trace_context], array[p_artifact_ref], array[p_max_attempts], array[p_timeout_seconds]);
  if v.outcome = 'refused' then
    v_hint := case v.error_code when 'unknown_definition' then 'jobplane.put_definitions makes it' when 'unknown_queue' then 'jobplane.put_queues makes it' end;
    raise exception '%', v.error using hint = coalesce(v_hint, 'the reference of errors says what to do about ' || v.error_code), errcode = case v.error_code
      when 'unknown_definition' then 'JP004' when 'definition_inactive' then 'JP005' when 'unknown_queue' then 'JP006' when 'idempotency_mismatch' then 'JP007' when 'duplicate_job' then 'JP008'
      when 'quota_exceeded' then 'JP014' when 'invalid_payload' then 'JP003' else 'JP002' end;
  end if;
  return query select v.job_id, v.outcome = 'created', v.outcome;
end $$;
