-- pause_tenants: from its commit on no claim starts their jobs; what runs, runs on
-- out: tenant_id of each that is there
-- owner: engine
-- for: admin
create or replace function jobplane.pause_tenants(p_tenant_ids uuid[]) returns setof uuid
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
begin
  perform jobplane.lock_gates();
  return query update jobplane.tenants t set paused_at = coalesce(t.paused_at, jobplane.clock()), updated_at = jobplane.clock()
    where t.tenant_id = any (p_tenant_ids) returning t.tenant_id;
end $$;
