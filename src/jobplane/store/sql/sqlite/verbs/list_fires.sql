-- list_fires: what became of the planned times of a trigger of the tenant that is set, the newest first
-- in:  outcomes: fired, skipped, missed, refused, waiting; null: any. limit 1 to 1000; the planned time before which to begin
-- out: `status` is that of the job now; null where there is none, or it is no longer kept

-- statement: page
select f.planned_at, f.kind, f.outcome, f.fired_at, f.missed, f.reason, f.job_id, null from jobplane_fires f
 where f.trigger_id = ? and f.tenant_no = ? and f.planned_at < ? and (? is null or f.outcome in (select value from json_each(?)))
 order by f.planned_at desc limit ?
