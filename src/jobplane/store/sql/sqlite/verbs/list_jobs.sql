-- list_jobs: jobs of the tenant that is set, the newest first, from the tables that hold the statuses asked for
-- in:  filters, null: any. statuses, worker_id, correlation_id, trigger_id, and owner_user_id and project_id in the metadata are served by an index; the others look at 10,000 jobs at most. worker_id finds jobs that run
--      there now. limit 1 to 1000, before: the cursor of the last job of the former page, or before_id: its id. offset 0 to 10,000 jobs to leave out. text is looked for in payload, last error, result, tags and
--      correlation id, in upper or lower case, for 2 seconds at most; 6 or more hex digits also at either end of the id, and a whole id finds that job alone. triggered_by: the type of who enqueued it
-- out: whole jobs. A last row with nothing but a cursor: the look stopped there, and there may be more

-- statement: ready
select seq from jobplane_ready where tenant_no = ? and seq < ? order by seq desc limit ?

-- statement: held
select seq from jobplane_held where tenant_no = ? and seq < ? order by seq desc limit ?

-- statement: upcoming
select seq from jobplane_upcoming where tenant_no = ? and seq < ? order by seq desc limit ?

-- statement: leases
select seq from jobplane_leases where tenant_no = ? and (? is null or worker_id = ?) and seq < ? order by seq desc limit ?

-- statement: endings
select seq from jobplane_endings where tenant_no = ? and status = ? and seq < ? order by seq desc limit ?

-- statement: correlated
select seq from jobplane_jobs where tenant_no = ? and correlation_id = ? and seq < ? order by seq desc limit ?

-- statement: triggered
select seq from jobplane_jobs where tenant_no = ? and trigger_id = ? and seq < ? order by seq desc limit ?

-- statement: owned
select seq from jobplane_jobs where tenant_no = ? and metadata ->> '$.owner_user_id' = ? and seq < ? order by seq desc limit ?

-- statement: projected
select seq from jobplane_jobs where tenant_no = ? and metadata ->> '$.project_id' = ? and seq < ? order by seq desc limit ?

-- statement: facts
select j.seq, j.definition_key, coalesce(q.name, (select x.name from jobplane_deleted_queues x where x.queue_id = j.queue_id)), j.source, j.source_ref, j.tags, j.metadata, j.created_at, j.triggered_by, j.trigger_id
  from json_each(?) i cross join jobplane_jobs j on j.seq = i.value left join jobplane_queues q on q.queue_id = j.queue_id order by i.key

-- statement: statuses
select j.seq,
       coalesce((select e.status from jobplane_endings e
                  where e.tenant_no = j.tenant_no and e.status in ('succeeded', 'failed', 'dead_letter', 'canceled') and e.seq = j.seq),
                case when exists (select 1 from jobplane_leases l where l.seq = j.seq) then 'running' else 'queued' end)
  from json_each(?) i cross join jobplane_jobs j on j.seq = i.value

-- statement: run_by
select seq from jobplane_leases where worker_id = ? and seq in (select value from json_each(?))

-- statement: texts
select j.seq, j.id, j.correlation_id, j.tags, j.payload, (select a.error from jobplane_attempts a where a.seq = j.seq order by a.attempt_no desc limit 1),
       (select x.result from jobplane_results x where x.seq = j.seq)
  from json_each(?) i cross join jobplane_jobs j on j.seq = i.value order by i.key
