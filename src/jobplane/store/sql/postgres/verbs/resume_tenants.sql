-- resume_tenants: open the gate; the first thousand of what it held go back to ready at once, the sweep brings the rest
-- out: tenant_id of each that is there
-- owner: engine
-- for: admin
create or replace function jobplane.resume_tenants(p_tenant_ids uuid[]) returns setof uuid
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
begin
  return query update jobplane.tenants t set paused_at = null, updated_at = jobplane.clock() where t.tenant_id = any (p_tenant_ids) returning t.tenant_id;
  perform jobplane.release_held(array[g.gate], array[jobplane.gate_room(g.gate, 1000)], true) from (select distinct 't/' || t as gate from unnest(p_tenant_ids) t order by 1) g;
end $$;
