-- enqueue_fault: why a row cannot become a job, as 'code: sentence', or null. Called only for a row that is not plain.
create or replace function jobplane.enqueue_fault(p_definition text, p_found boolean, p_active boolean, p_queue text, p_queue_found boolean, p_payload jsonb,
                                                  p_scheduled_for timestamptz, p_expires_at timestamptz, p_facts text) returns text language plpgsql volatile as $$
begin
  return case when not p_found then format('unknown_definition: There is no definition "%s". Check the spelling, or create it first.', left(p_definition, 200))
              when not p_active then format('definition_inactive: Definition "%s" is not active. Activate it, or use another.', p_definition)
              when p_queue is not null and not p_queue_found then format('unknown_queue: There is no queue "%s". Check the spelling, or create it first.', left(p_queue, 200))
              when p_scheduled_for is null then 'invalid: The scheduled_for must be a time between the years 2000 and 9999, and the delay_seconds between 0 and 3153600000.'
              when p_expires_at is not null and jobplane.due_time(p_expires_at, null, null) is null then 'invalid: The expires_at must be a time between the years 2000 and 9999.'
              else coalesce('invalid_payload: ' || jobplane.payload_fault(p_payload), 'invalid: ' || p_facts) end;
end $$;
