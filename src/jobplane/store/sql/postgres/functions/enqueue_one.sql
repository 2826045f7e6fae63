-- enqueue_one: an answer of enqueue_many as that of enqueue; a refusal is an exception
create or replace function jobplane.enqueue_one(p_job_id uuid, p_outcome text, p_error_code text, p_error text)
returns table (job_id uuid, created boolean, outcome text) language plpgsql volatile as $$
declare
  v_hint constant text := case p_error_code when 'unknown_definition' then 'Create it with jobplane.put_definitions.' when 'unknown_queue' then 'Create it with jobplane.put_queues.' end;
begin
  if p_outcome = 'refused' then
    raise exception using message = p_error, hint = coalesce(v_hint, 'See ' || p_error_code || ' in the reference of errors.'), errcode = case p_error_code
      when 'unknown_definition' then 'JP004' when 'definition_inactive' then 'JP005' when 'unknown_queue' then 'JP006' when 'idempotency_mismatch' then 'JP007' when 'duplicate_job' then 'JP008'
      when 'quota_exceeded' then 'JP014' when 'invalid_payload' then 'JP003' else 'JP002' end;
  end if;
  return query select p_job_id, p_outcome = 'created', p_outcome;
end $$;
