-- list_triggers: triggers of the tenant that is set, the newest first
-- in:  ids, keys, definition_key, is_enabled, late_seconds: what to list, null: any; late_seconds: those that have been due for longer;
--      limit 1 to 1000; the id before which to begin
-- owner: doors
-- for: app, scheduler, admin
create or replace function jobplane.list_triggers(p_ids uuid[] default null, p_keys text[] default null, p_definition_key text default null, p_is_enabled boolean default null,
                                                  p_late_seconds float8 default null, p_limit int default 100, p_before uuid default null) returns setof jobplane.trigger
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_tenant constant uuid := jobplane.current_tenant();
  v_ids    uuid[];
begin
  if p_ids is null then
    v_ids := array(
      select t.trigger_id from jobplane.triggers t
       where t.tenant_id = v_tenant and (p_before is null or t.trigger_id < p_before) and (p_keys is null or t.key = any (p_keys))
         and (p_definition_key is null or t.definition_id = (select d.definition_id from jobplane.definitions d where d.key = p_definition_key))
         and (p_is_enabled is null or t.is_enabled = p_is_enabled)
         and (p_late_seconds is null or t.is_enabled and t.due_at < jobplane.clock() - make_interval(secs => p_late_seconds))
       order by t.trigger_id desc limit least(greatest(p_limit, 1), 1000));
  else
    v_ids := array(
      select t.trigger_id from unnest(p_ids) i(id), lateral (select * from jobplane.triggers t where t.tenant_id = v_tenant and t.trigger_id = i.id offset 0) t
       where (p_before is null or t.trigger_id < p_before) and (p_keys is null or t.key = any (p_keys))
         and (p_definition_key is null or t.definition_id = (select d.definition_id from jobplane.definitions d where d.key = p_definition_key))
         and (p_is_enabled is null or t.is_enabled = p_is_enabled)
         and (p_late_seconds is null or t.is_enabled and t.due_at < jobplane.clock() - make_interval(secs => p_late_seconds))
       order by t.trigger_id desc limit least(greatest(p_limit, 1), 1000));
  end if;
  return query select s.* from jobplane.show_triggers(array_fill(v_tenant, array[cardinality(v_ids)]), v_ids) s;
end $$;
