-- tenant_problems: what keeps jobs of the tenant that is set from running or makes them fail; nothing of other tenants
-- out: one row for each problem: code (no_worker | queue_paused | tenant_paused | slow_queue | dead_letters | schedule_late), since when, what it is about, and how many jobs are concerned
-- owner: engine
-- for: app, admin
create or replace function jobplane.tenant_problems()
returns table (code text, since timestamptz, queue text, definition_key text, tenant text, worker_id text, job_id uuid, pid int, name text, count bigint, by text, reason text,
               error text, tenants text[])
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return query select * from jobplane.findings(jobplane.current_tenant());
end $$;
