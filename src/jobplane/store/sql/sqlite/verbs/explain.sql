-- explain: why one job of the tenant that is set waits, runs or has ended: all that a claim looks at before it takes a job
-- in:  the job's id
-- out: one row: the job, its queue, tenant and definition, live workers, limits, and its place in the lane. Ids of jobs are the tenant's own, up to ten; what other
--      tenants' jobs use is only counted. Counts stop at 10,000

-- statement: queue
select paused_at, paused_by, paused_reason from jobplane_queues where queue_id = (select queue_id from jobplane_jobs where seq = ?)

-- statement: tenant
select paused_at, paused_by, paused_reason, max_in_flight from jobplane_tenants where tenant_no = ?

-- statement: definition
select definition_id, kind, active, deleted_at, max_running, max_running_per_tenant
  from jobplane_definitions where key = (select definition_key from jobplane_jobs where seq = ?)

-- statement: workers
-- The latest seen first.
select worker_id, hostname, queues, definitions, mismatched, last_seen_at from jobplane_workers order by last_seen_at desc, worker_id

-- statement: running
-- Jobs of the tenant that run, of one definition or of any.
select j.id from jobplane_leases l cross join jobplane_jobs j on j.seq = l.seq
 where l.tenant_no = ? and (? is null or l.definition_id = ?) limit ?

-- statement: own
select count(*) from (select 1 from jobplane_leases where tenant_no = ? and definition_id = ? limit 10000)

-- statement: place
select r.tag, r.queue_id, r.priority from jobplane_ready r where r.seq = ?

-- statement: before
select count(*) from (select 1 from jobplane_ready where tenant_no = ? and queue_id = ? and priority = ? and tag < ? limit 10000)

-- statement: tenants
select count(distinct tenant_no) from (select tenant_no from jobplane_ready where queue_id = ? and priority = ? order by tag limit 10000)
