-- delete_trigger: delete a trigger of the tenant that is set, with its fires. Its jobs stay, and keep its id
-- in:  version: refuse where the trigger has another one
-- out: the id
-- owner: doors
-- for: app, admin
create or replace function jobplane.delete_trigger(p_trigger_id uuid, p_version int default null) returns uuid
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_old jobplane.triggers;
begin
  v_old := jobplane.found_trigger(p_trigger_id, p_version);
  delete from jobplane.triggers t where t.tenant_id = v_old.tenant_id and t.trigger_id = p_trigger_id;
  delete from jobplane.fires f where f.tenant_id = v_old.tenant_id and f.trigger_id = p_trigger_id;
  perform jobplane.audit('deleteTrigger', v_old.tenant_id, array[p_trigger_id::text], to_jsonb(v_old), null, jsonb_build_object('label', v_old.label));
  return p_trigger_id;
end $$;
