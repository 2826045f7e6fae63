-- get_jobs: whole jobs of the tenant that is set, in the order asked for; an id that is not there, or another tenant's, is left out
-- owner: doors
-- for: app, admin
create or replace function jobplane.get_jobs(p_ids uuid[]) returns setof jobplane.job
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  v_tenant constant uuid := jobplane.current_tenant();
begin
  return query select * from jobplane.describe(v_tenant, array(
    select j.seq from unnest(p_ids) with ordinality i(id, ord), lateral (select j.seq from jobplane.jobs j where j.tenant_id = v_tenant and j.id = i.id offset 0) j order by i.ord));
end $$;
