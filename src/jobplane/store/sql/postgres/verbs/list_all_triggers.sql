-- list_all_triggers: triggers of all tenants, the newest first
-- in:  as list_triggers
-- owner: engine
-- for: admin
create or replace function jobplane.list_all_triggers(p_ids uuid[] default null, p_keys text[] default null, p_definition_key text default null, p_is_enabled boolean default null,
                                                      p_late_seconds float8 default null, p_limit int default 100, p_before uuid default null) returns setof jobplane.trigger
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_tenants uuid[];
  v_ids     uuid[];
begin
  if p_ids is null then
    select array_agg(t.tenant_id), array_agg(t.trigger_id) into v_tenants, v_ids from (
      select t.tenant_id, t.trigger_id from jobplane.triggers t
       where (p_before is null or t.trigger_id < p_before) and (p_keys is null or t.key = any (p_keys))
         and (p_definition_key is null or t.definition_id = (select d.definition_id from jobplane.definitions d where d.key = p_definition_key))
         and (p_is_enabled is null or t.is_enabled = p_is_enabled)
         and (p_late_seconds is null or t.is_enabled and t.due_at < jobplane.clock() - make_interval(secs => p_late_seconds))
       order by t.trigger_id desc limit least(greatest(p_limit, 1), 1000)) t;
  else
    select array_agg(t.tenant_id), array_agg(t.trigger_id) into v_tenants, v_ids from (
      select t.tenant_id, t.trigger_id from unnest(p_ids) i(id), lateral (select * from jobplane.triggers t where t.trigger_id = i.id offset 0) t
       where (p_before is null or t.trigger_id < p_before) and (p_keys is null or t.key = any (p_keys))
         and (p_definition_key is null or t.definition_id = (select d.definition_id from jobplane.definitions d where d.key = p_definition_key))
         and (p_is_enabled is null or t.is_enabled = p_is_enabled)
         and (p_late_seconds is null or t.is_enabled and t.due_at < jobplane.clock() - make_interval(secs => p_late_seconds))
       order by t.trigger_id desc limit least(greatest(p_limit, 1), 1000)) t;
  end if;
  return query select s.* from jobplane.show_triggers(v_tenants, v_ids) s;
end $$;
