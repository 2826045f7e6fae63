-- create_definition: a person makes a definition, given as a JSON object with its key. One that was deleted comes back under its id, with nothing of before
-- in:  document: key, description, arg_schema, queue, priority, timeout_seconds, max_attempts, backoff {base, factor, cap, jitter}, max_running,
--      max_running_per_tenant, retention_days, retention_days_logs, retention_count, active, tags, system, metadata, default_payload, command (which makes it of the kind command)
-- out: the key
-- owner: engine
-- for: admin
create or replace function jobplane.create_definition(p_document jsonb) returns text
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_old   jobplane.definitions;
  v_new   jobplane.definitions;
  v_found boolean;
begin
  perform jobplane.refuse_unknown(p_document, '{key,arg_schema,command}'::text[] || jobplane.overridable());
  perform jobplane.refuse_unknown(coalesce(p_document -> 'backoff', '{}'), '{base,factor,cap,jitter}');
  perform jobplane.lock_gates();
  select * into v_old from jobplane.definitions d where d.key = p_document ->> 'key' for update;
  v_found := found;
  if v_found and v_old.deleted_at is null then
    raise exception 'There is a definition "%" already. Change it, or use another key.', v_old.key
      using errcode = 'JP016', detail = jsonb_build_object('key', v_old.key);
  end if;
  if not v_found then
    v_old := jobplane.insert_definition(p_document);
  end if;
  v_old := jobplane.without_command(v_old);
  v_new := jobplane.changed_definition(jobplane.changed_definition(v_old, jobplane.default_document()), p_document);
  v_new.app := '';
  v_new.app_version := '';
  v_new.app_version_order := null;
  v_new.overridden := '{}';
  v_new.code := null;
  v_new.definition_hash := null;
  v_new.deleted_from_code := false;
  v_new.deleted_at := null;
  perform jobplane.write_definition(v_new, not v_found);
  perform jobplane.audit('createDefinition', null, array[v_new.key], null, jobplane.definition_document(v_new));
  return v_new.key;
exception when check_violation or not_null_violation or invalid_text_representation or numeric_value_out_of_range or datatype_mismatch then
  raise exception 'Definition % has an invalid value. The detail says which.', coalesce('"' || left(p_document ->> 'key', 200) || '"', 'without a key') using errcode = 'JP002', detail = sqlerrm;
end $$;
