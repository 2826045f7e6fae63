-- put_definitions: make or change definitions, each given as a JSON object with its key; what a document does not name keeps its value, or the default
-- in:  documents: key, kind, description, arg_schema, queue, priority, timeout_seconds, max_attempts, backoff {base, factor, cap, jitter}, max_running,
--      max_running_per_tenant, retention_days, retention_days_logs, active, origin, tags, isolation (shared | process),
--      on_lost_contact (stop | continue)
-- out: key, definition_id, created. From its commit on no claim exceeds a limit. One bad document refuses the whole call: it is configuration.
-- A schema with a $ref that does not begin with # is refused. Python also refuses a schema that cannot be compiled; SQL cannot know.
-- owner: engine
-- for: admin, worker
create or replace function jobplane.put_definitions(p_definitions jsonb[]) returns table (key text, definition_id int, created boolean)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_doc jsonb;
  v_old jobplane.definitions;
  v_new jobplane.definitions;
begin
  perform jobplane.lock_gates();
  for v_doc in select d from unnest(p_definitions) d order by d ->> 'key' loop
    perform jobplane.refuse_unknown(v_doc, '{key,kind,description,arg_schema,queue,priority,timeout_seconds,max_attempts,backoff,max_running,max_running_per_tenant,retention_days,retention_days_logs,active,origin,tags,isolation,on_lost_contact}');
    perform jobplane.refuse_unknown(coalesce(v_doc -> 'backoff', '{}'), '{base,factor,cap,jitter}');
    select * into v_old from jobplane.definitions d where d.key = v_doc ->> 'key' for update;
    created := not found;
    if created then
      if not exists (select from jobplane.queues q where q.name = coalesce(v_doc ->> 'queue', 'default')) then
        raise exception 'there is no queue %', quote_literal(v_doc ->> 'queue') using errcode = 'JP006', hint = 'jobplane.put_queues makes it';
      end if;
      insert into jobplane.definitions (key, queue_id) values (v_doc ->> 'key', (select q.queue_id from jobplane.queues q where q.name = coalesce(v_doc ->> 'queue', 'default')))
      returning * into v_old;
    end if;
    v_new := jobplane.changed_definition(v_old, v_doc);
    update jobplane.definitions d
       set kind = v_new.kind, description = v_new.description, arg_schema = v_new.arg_schema, queue_id = v_new.queue_id, priority = v_new.priority,
           timeout_seconds = v_new.timeout_seconds, max_attempts = v_new.max_attempts, backoff_base = v_new.backoff_base, backoff_factor = v_new.backoff_factor,
           backoff_cap = v_new.backoff_cap, backoff_jitter = v_new.backoff_jitter, max_running = v_new.max_running,
           max_running_per_tenant = v_new.max_running_per_tenant, retention_days = v_new.retention_days, retention_days_logs = v_new.retention_days_logs,
           active = v_new.active, origin = v_new.origin, tags = v_new.tags, isolation = v_new.isolation, on_lost_contact = v_new.on_lost_contact, updated_at = jobplane.clock()
     where d.definition_id = v_old.definition_id;
    perform jobplane.open_lane(v_new.queue_id, v_new.priority);
    if created then
      update jobplane.workers w set definition_ids = w.definition_ids || v_old.definition_id where w.worker_id > '' and v_old.key = any (w.definitions);      -- by the primary key: all of them
    else
      perform jobplane.count_leases(array_agg(k.key), array_agg(l.seq)) from jobplane.leases l,
        unnest(array_remove(array[case when v_new.max_running is not null then 'd/' || l.definition_id end,
                                  case when v_new.max_running_per_tenant is not null then 'dt/' || l.definition_id || '/' || l.tenant_id end], null)) k(key)
        where l.seq > 0 and l.definition_id = v_old.definition_id;      -- by the primary key: all of them
      perform jobplane.release_held(array['d/' || v_old.definition_id], array[jobplane.gate_room('d/' || v_old.definition_id, 1000)], true);
    end if;
    key := v_old.key;
    definition_id := v_old.definition_id;
    return next;
  end loop;
exception when check_violation or not_null_violation or invalid_text_representation or numeric_value_out_of_range or datatype_mismatch then
  raise exception 'the definition % has a value that cannot be: %', coalesce(quote_literal(left(v_doc ->> 'key', 200)), 'without a key'), sqlerrm using errcode = 'JP002';
end $$;
