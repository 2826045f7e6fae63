-- enqueue_fault: why a row cannot become a job, as 'code: sentence', or null. Called only for a row that is not plain.
create or replace function jobplane.enqueue_fault(p_definition text, p_found boolean, p_active boolean, p_queue text, p_queue_found boolean, p_payload jsonb,
                                                  p_scheduled_for timestamptz, p_expires_at timestamptz, p_facts text) returns text language plpgsql volatile as $$
begin
  return case when not p_found then format('unknown_definition: there is no definition %s', quote_nullable(left(p_definition, 200)))
              when not p_active then format('definition_inactive: the definition %L is not active', p_definition)
              when p_queue is not null and not p_queue_found then format('unknown_queue: there is no queue %L', left(p_queue, 200))
              when p_scheduled_for is null then 'invalid: scheduled_for must be a time between 2000 and 9999, a delay 0 to 3153600000 seconds'
              when p_expires_at is not null and jobplane.due_time(p_expires_at, null, null) is null then 'invalid: expires_at must be a time between 2000 and 9999'
              else coalesce('invalid_payload: ' || jobplane.payload_fault(p_payload), 'invalid: ' || p_facts) end;
end $$;
