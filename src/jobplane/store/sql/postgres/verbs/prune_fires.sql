-- prune_fires: remove the record of planned times, trigger by trigger: beyond the newest 10000, and what is older than 400 days
-- in:  the tenant and the id of the trigger after which to begin; how many triggers to look at; dry_run: only count
-- out: how many rows, 1000 of a trigger at most; the last trigger that was looked at, null: there are no more
-- owner: engine
-- for: scheduler
create or replace function jobplane.prune_fires(p_after_tenant uuid default null, p_after uuid default null, p_limit int default 100, p_dry_run boolean default false)
returns table (removed bigint, tenant_id uuid, trigger_id uuid)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_limit constant int := least(greatest(p_limit, 1), 1000);
  v_old   constant timestamptz := jobplane.clock() - interval '400 days';
  v_cut   timestamptz;
  v_found bigint;
  v_seen  int := 0;
  v       record;
begin
  removed := 0;
  for v in
    select t.tenant_id, t.trigger_id from jobplane.triggers t
     where (t.tenant_id, t.trigger_id) > (coalesce(p_after_tenant, '00000000-0000-0000-0000-000000000000'), coalesce(p_after, '00000000-0000-0000-0000-000000000000'))
     order by t.tenant_id, t.trigger_id limit v_limit
  loop
    v_seen := v_seen + 1;
    tenant_id := v.tenant_id;
    trigger_id := v.trigger_id;
    select f.planned_at into v_cut from jobplane.fires f where f.tenant_id = v.tenant_id and f.trigger_id = v.trigger_id order by f.planned_at desc offset 10000 limit 1;
    v_cut := greatest(v_cut, v_old);
    if p_dry_run then
      select count(*) into v_found from (
        select from jobplane.fires f where f.tenant_id = v.tenant_id and f.trigger_id = v.trigger_id and f.planned_at <= v_cut limit 1000) x;
    else
      delete from jobplane.fires f where f.tenant_id = v.tenant_id and f.trigger_id = v.trigger_id and f.planned_at = any (array(
        select x.planned_at from jobplane.fires x where x.tenant_id = v.tenant_id and x.trigger_id = v.trigger_id and x.planned_at <= v_cut order by x.planned_at limit 1000));
      get diagnostics v_found = row_count;
    end if;
    removed := removed + v_found;
  end loop;
  if v_seen < v_limit then
    tenant_id := null;
    trigger_id := null;
  end if;
  return next;
end $$;
