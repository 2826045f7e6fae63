-- retry: a person's second chance for a job that failed, died or was canceled: fresh budget, attempt_no goes on counting
-- in:  job ids of the tenant that is set; another max_attempts, or null
-- out: job_id, outcome: queued | illegal_move (it is active, or succeeded) | duplicate_job (another active job has its dedupe key) | quota_exceeded |
--      definition_inactive | unknown_queue (its queue was deleted) | not_found, and the job's status now

-- statement: jobs
select j.id, j.seq, j.max_attempts, j.dedupe_key, coalesce(d.active, 1), e.status, e.attempt_no,
       (select k.seq from jobplane_dedupe k where k.tenant_no = j.tenant_no and k.dedupe_key = j.dedupe_key),
       exists (select 1 from jobplane_queues q where q.queue_id = j.queue_id)
  from json_each(?) x
 cross join jobplane_jobs j on j.tenant_no = ? and j.id = x.value
  left join jobplane_definitions d on d.key = j.definition_key
  left join jobplane_endings e on e.tenant_no = j.tenant_no and e.status in ('succeeded', 'failed', 'dead_letter', 'canceled') and e.seq = j.seq

-- statement: tenant
select tenant_no, max_pending from jobplane_tenants where tenant_id = ?

-- statement: upcoming
insert into jobplane_upcoming (seq, tenant_no, scheduled_for, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left, interruptions, deduped, alone)
select j.seq, j.tenant_no, ?, null, j.queue_id, coalesce(d.definition_id, 0), x.value ->> 1, j.priority, coalesce(?, j.max_attempts), 0, j.dedupe_key is not null, 0
  from json_each(?) x cross join jobplane_jobs j on j.seq = x.value ->> 0 left join jobplane_definitions d on d.key = j.definition_key

-- statement: leave
delete from jobplane_endings where tenant_no = ? and status in ('failed', 'dead_letter', 'canceled') and seq in (select value from json_each(?))

-- statement: change
update jobplane_jobs set max_attempts = coalesce(?, max_attempts), changed_at = ? where seq in (select value from json_each(?))

-- statement: hold
insert into jobplane_dedupe (tenant_no, dedupe_key, seq)
select tenant_no, dedupe_key, seq from jobplane_jobs where dedupe_key is not null and seq in (select value from json_each(?))
