-- insert_definition: a new definition with its key and queue; the caller writes the rest
-- for: engine
create or replace function jobplane.insert_definition(p_doc jsonb) returns jobplane.definitions language plpgsql volatile as $$
declare
  v_queue constant text := coalesce(p_doc ->> 'queue', 'default');
  v_new   jobplane.definitions;
begin
  insert into jobplane.definitions (key, queue_id) select p_doc ->> 'key', q.queue_id from jobplane.queues q where q.name = v_queue returning * into v_new;
  if not found then
    raise exception 'There is no queue "%". Check the spelling, or create it first.', left(v_queue, 200) using errcode = 'JP006', hint = 'Create it with jobplane.put_queues.';
  end if;
  return v_new;
end $$;
