-- find_jobs: whole jobs by their ids, of whichever tenant, in the order asked for; an id that is not there is left out
-- in:  ids, at most 200 different ones. Tenants may choose ids, so two jobs may have the same one: then both are answered, the older one first
-- owner: engine
-- for: admin
create or replace function jobplane.find_jobs(p_ids uuid[]) returns setof jobplane.job
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set jit = off set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
declare
  v_ids constant uuid[] := array(select i.id from unnest(p_ids) with ordinality i(id, ord) group by i.id order by min(i.ord));
begin
  if cardinality(v_ids) > 200 then
    raise exception 'Cannot find % jobs in one call. Ask for at most 200 ids at a time.', cardinality(v_ids) using errcode = 'JP002';
  end if;
  return query select d.* from (
      select t.tenant_id, j.seqs from jobplane.tenants t, lateral (
        select array_agg(j.seq) as seqs from unnest(v_ids) i(id), lateral (select j.seq from jobplane.jobs j where j.tenant_id = t.tenant_id and j.id = i.id offset 0) j) j
       where j.seqs is not null) t, lateral jobplane.describe(t.tenant_id, t.seqs) d order by array_position(v_ids, d.id), d.cursor;
end $$;
