-- get_jobs: whole jobs of the tenant that is set, in the order asked for, each once; an id that is not there, or another tenant's, is left out
-- in:  ids, at most 1,000 different ones
-- owner: doors
-- for: app, admin
create or replace function jobplane.get_jobs(p_ids uuid[]) returns setof jobplane.job
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
declare
  v_tenant constant uuid := jobplane.current_tenant();
  v_ids    constant uuid[] := array(select i.id from unnest(p_ids) with ordinality i(id, ord) group by i.id order by min(i.ord));
begin
  if cardinality(v_ids) > 1000 then
    raise exception 'Cannot get % jobs in one call. Ask for at most 1000 ids at a time.', cardinality(v_ids) using errcode = 'JP002';
  end if;
  return query select * from jobplane.describe(v_tenant, array(
    select j.seq from unnest(v_ids) with ordinality i(id, ord), lateral (select j.seq from jobplane.jobs j where j.tenant_id = v_tenant and j.id = i.id offset 0) j order by i.ord));
end $$;
