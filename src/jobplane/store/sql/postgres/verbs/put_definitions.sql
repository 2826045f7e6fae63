-- put_definitions: make or change definitions, each given as a JSON object with its key; what a document does not name keeps its value, or the default
-- in:  documents: key, kind, description, arg_schema, queue, priority, timeout_seconds, max_attempts, backoff {base, factor, cap, jitter}, max_running,
--      max_running_per_tenant, retention_days, retention_days_logs, retention_count, active, origin, tags, isolation (shared | process),
--      on_lost_contact (stop | continue), system, metadata, default_payload, command; by_person: whether a person sets these values. Without it the admin's login is
--      a person, and the worker's is not. Of a definition from code a person's values stay when its app syncs, and others set only what no person has set;
--      no code names active, so that is always a person's. A document from code is refused where its key is that of a command.
-- out: key, definition_id, created. From its commit on no claim exceeds a limit. One bad document refuses the whole call: it is configuration.
-- A schema with a $ref that does not begin with # is refused. Python also refuses a schema that cannot be compiled; SQL cannot know.
-- owner: engine
-- for: admin, worker
create or replace function jobplane.put_definitions(p_definitions jsonb[], p_by_person boolean default null) returns table (key text, definition_id int, created boolean)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_by_person constant boolean := coalesce(p_by_person, pg_has_role(session_user, to_regrole('jobplane_admin'), 'member')
                                                        and not pg_has_role(session_user, to_regrole('jobplane_worker'), 'member'), false);
  v_doc jsonb;
  v_old jobplane.definitions;
  v_new jobplane.definitions;
begin
  perform jobplane.lock_gates();
  for v_doc in select d from unnest(p_definitions) d order by d ->> 'key' loop
    perform jobplane.check_definition(v_doc);
    select * into v_old from jobplane.definitions d where d.key = v_doc ->> 'key' for update;
    created := not found;
    if created then
      v_old := jobplane.insert_definition(v_doc);
    end if;
    if v_doc ->> 'origin' <> 'db' then
      perform jobplane.refuse_command(v_old);
      v_old := jobplane.without_command(v_old);
    end if;
    v_new := jobplane.changed_definition(v_old, case when v_by_person or v_old.origin <> 'code' then v_doc else v_doc - array_remove(v_old.overridden, 'active') end);
    if v_old.deleted_at is not null or v_old.deleted_from_code and not v_by_person and v_doc ->> 'origin' = 'code' then      -- it comes back
      v_new.deleted_at := null;
      v_new.deleted_from_code := v_old.deleted_from_code and v_by_person;
      v_new.active := coalesce((v_doc ->> 'active')::boolean, 'active' <> all (v_old.overridden));
    end if;
    if v_old.origin = 'code' then
      v_new.overridden := jobplane.overridden_by(v_new, case when v_by_person then v_doc when v_doc ? 'active' then '{"active": null}' else '{}' end);
    end if;
    perform jobplane.write_definition(v_new, created);
    if v_by_person then
      perform jobplane.audit('putDefinition', null, array[v_old.key], case when not created then jobplane.definition_document(v_old) end, jobplane.definition_document(v_new));
    end if;
    key := v_old.key;
    definition_id := v_old.definition_id;
    return next;
  end loop;
exception when check_violation or not_null_violation or invalid_text_representation or numeric_value_out_of_range or datatype_mismatch then
  raise exception 'Definition % has an invalid value. The detail says which.', coalesce('"' || left(v_doc ->> 'key', 200) || '"', 'without a key') using errcode = 'JP002', detail = sqlerrm;
end $$;
