-- insert_definition: a new definition with its key and queue; the caller writes the rest
-- for: engine
create or replace function jobplane.insert_definition(p_doc jsonb) returns jobplane.definitions language plpgsql volatile as $$
declare
  v_queue constant text := coalesce(p_doc ->> 'queue', 'default');
  v_new   jobplane.definitions;
begin
  insert into jobplane.definitions (key, queue_id) select p_doc ->> 'key', q.queue_id from jobplane.queues q where q.name = v_queue returning * into v_new;
  if not found then
    raise exception 'there is no queue %', quote_literal(v_queue) using errcode = 'JP006', hint = 'jobplane.put_queues makes it';
  end if;
  return v_new;
end $$;
