-- get_result: what a job of the tenant that is set returned, with its status; null while there is none
-- owner: doors
-- for: app, admin
create or replace function jobplane.get_result(p_id uuid) returns table (status text, result jsonb)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
declare
  v_tenant constant uuid := jobplane.current_tenant();
begin
  return query select d.status, d.result from jobplane.jobs j, lateral jobplane.describe(v_tenant, array[j.seq]) d where j.tenant_id = v_tenant and j.id = p_id;
  if not found then
    raise exception 'There is no job %.', p_id using errcode = 'JP010';
  end if;
end $$;
