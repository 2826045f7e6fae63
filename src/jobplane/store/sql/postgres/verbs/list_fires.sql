-- list_fires: what became of the planned times of a trigger of the tenant that is set, the newest first
-- in:  outcomes: fired, skipped, missed, refused, waiting; null: any. limit 1 to 1000; the planned time before which to begin
-- out: `status` is that of the job now; null where there is none, or it is no longer kept
-- owner: doors
-- for: app, admin
create or replace function jobplane.list_fires(p_trigger_id uuid, p_outcomes text[] default null, p_limit int default 100, p_before timestamptz default null)
returns table (planned_at timestamptz, kind text, outcome text, fired_at timestamptz, missed int, reason text, job_id uuid, status text)
language sql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_bitmapscan = off set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
  select f.planned_at, f.kind, f.outcome, f.fired_at, f.missed, f.reason, f.job_id, j.status
    from (select f.* from jobplane.fires f
           where f.tenant_id = jobplane.current_tenant() and f.trigger_id = p_trigger_id and f.planned_at < coalesce(p_before, 'infinity')
             and (p_outcomes is null or f.outcome = any (p_outcomes))
           order by f.planned_at desc limit least(greatest(p_limit, 1), 1000)) f
    left join lateral (select d.status from jobplane.jobs j, lateral jobplane.describe(j.tenant_id, array[j.seq]) d where j.tenant_id = f.tenant_id and j.id = f.job_id offset 0) j on true
   order by f.planned_at desc
$$;
