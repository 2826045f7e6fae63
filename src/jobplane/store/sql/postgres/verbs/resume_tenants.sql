-- resume_tenants: open the gate; the first thousand of what it held go back to ready at once, the sweep brings the rest
-- out: tenant_id of each that is there
-- owner: engine
-- for: admin
create or replace function jobplane.resume_tenants(p_tenant_ids uuid[]) returns setof uuid
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
declare
  v_done uuid[];
begin
  with done as (
    update jobplane.tenants t set paused_at = null, paused_by = null, paused_reason = null, updated_at = jobplane.clock()
     where t.tenant_id = any (p_tenant_ids) and t.paused_at is not null returning t.tenant_id)
  select array_agg(d.tenant_id) into v_done from done d;
  perform jobplane.audit('resumeTenant', case when cardinality(v_done) = 1 then v_done[1] end, v_done::text[]) where v_done is not null;
  return query select t.tenant_id from jobplane.tenants t where t.tenant_id = any (p_tenant_ids);
  perform jobplane.release_held(array[g.gate], array[jobplane.gate_room(g.gate, 1000)], true) from (select distinct 't/' || t as gate from unnest(p_tenant_ids) t order by 1) g;
end $$;
