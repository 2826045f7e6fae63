-- refresh_zones: make the scheduler compute again what came from other rules of time zones
-- in:  the version of the rules that the caller has; limit 1 to 1000
-- out: how many schedules; ask again while it is the limit
-- owner: engine
-- for: scheduler
create or replace function jobplane.refresh_zones(p_zone_version text, p_limit int default 1000) returns int
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  v_count int;
begin
  update jobplane.triggers t set due_at = jobplane.clock()
   where (t.tenant_id, t.trigger_id) in (
     select x.tenant_id, x.trigger_id from jobplane.triggers x where x.is_enabled and x.cron_expr is not null and x.zone_version <> p_zone_version and x.due_at > jobplane.clock()
      limit least(greatest(p_limit, 1), 1000) for no key update skip locked);
  get diagnostics v_count = row_count;
  return v_count;
end $$;
