-- found_trigger: a trigger of the tenant that is set, locked against fires and other changes. Refuses where it has another version than the one given
create or replace function jobplane.found_trigger(p_trigger_id uuid, p_version int) returns jobplane.triggers language plpgsql volatile as $$
declare
  v_tenant constant uuid := jobplane.current_tenant();    -- here: a sequential scan would not ask for it where the id is unknown
  v_found  jobplane.triggers;
begin
  select * into v_found from jobplane.triggers t where t.tenant_id = v_tenant and t.trigger_id = p_trigger_id for no key update;
  if not found then
    raise exception 'There is no trigger %.', p_trigger_id using errcode = 'JP033';
  elsif p_version <> v_found.version then
    raise exception 'Trigger % has version %, not %. Read it again, and repeat the change.', p_trigger_id, v_found.version, p_version
      using errcode = 'JP030', detail = jsonb_build_object('revision', v_found.version);
  end if;
  return v_found;
end $$;
