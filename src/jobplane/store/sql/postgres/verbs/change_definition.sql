-- change_definition: a person changes a definition, by key or id. Of a definition from code these values stay when its app syncs
-- in:  changes: a JSON merge patch of description, queue, priority, timeout_seconds, max_attempts, backoff {base, factor, cap, jitter}, max_running,
--      max_running_per_tenant, retention_days, retention_days_logs, retention_count, active, tags, system, metadata, default_payload, and of arg_schema and
--      command where it is not from code; a command is replaced as a whole; revision: refuse where the definition has another one
-- out: the key
-- owner: engine
-- for: admin
create or replace function jobplane.change_definition(p_key text, p_id uuid, p_changes jsonb, p_revision int default null) returns text
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_null  text;
  v_old   jobplane.definitions;
  v_new   jobplane.definitions;
begin
  perform jobplane.refuse_unknown(p_changes, '{arg_schema,command}'::text[] || jobplane.overridable());
  perform jobplane.refuse_unknown(coalesce(p_changes -> 'backoff', '{}'), '{base,factor,cap,jitter}');
  select string_agg(c.key, ', ' order by c.key) into v_null from jsonb_each(p_changes) c
   where c.value = 'null' and c.key <> all ('{timeout_seconds,max_running,max_running_per_tenant,retention_days,retention_days_logs,retention_count,default_payload}');
  if v_null is not null then
    raise exception 'A definition needs a value for %. Give one, or leave it out.', v_null using errcode = 'JP002';
  end if;
  perform jobplane.lock_gates();
  v_old := jobplane.found_definition(p_key, p_id);
  if p_revision <> v_old.revision then
    raise exception 'Definition "%" has revision %, not %. Read it again, and repeat the change.', v_old.key, v_old.revision, p_revision
      using errcode = 'JP030', detail = jsonb_build_object('key', v_old.key, 'revision', v_old.revision);
  end if;
  if p_changes ? 'arg_schema' and v_old.origin <> 'db' then
    raise exception 'The arg_schema of definition "%" comes from its code. Change it there.', v_old.key using errcode = 'JP002';
  end if;
  v_new := jobplane.changed_definition(v_old, p_changes
    || coalesce((select jsonb_object_agg(c.key, jobplane.merged(jobplane.definition_document(v_old) -> c.key, c.value)) from jsonb_each(p_changes) c
                  where c.key in ('metadata', 'default_payload', 'arg_schema') and jsonb_typeof(c.value) = 'object'), '{}'));
  if v_old.origin in ('code', 'builtin') then
    v_new.overridden := jobplane.overridden_by(v_new, p_changes);
  end if;
  if v_new is distinct from v_old then
    perform jobplane.write_definition(v_new, false);
  end if;
  perform jobplane.audit(case p_changes when '{"active": true}' then 'enableDefinition' when '{"active": false}' then 'disableDefinition' else 'changeDefinition' end,
                         null, array[v_old.key], jobplane.definition_document(v_old), jobplane.definition_document(v_new));
  return v_new.key;
exception when check_violation or not_null_violation or invalid_text_representation or numeric_value_out_of_range or datatype_mismatch then
  raise exception 'Definition % has an invalid value. The detail says which.', coalesce('"' || left(p_key, 200) || '"', p_id::text) using errcode = 'JP002', detail = sqlerrm;
end $$;
