-- prune_jobs: one step of a walk from the newest job to the oldest: remove ended jobs that are past their retention time, or exceed the number that their tenant keeps of
-- their definition, with their attempts, results, output, keys and log lines. An active job stays, and so does one that somebody is retrying at this moment
-- in:  the seq to go on below (null: from the beginning); how many jobs to look at, 1000 at most; how many days after its end a job is kept, and how many ended jobs
--      a tenant keeps of a definition (null: all), where the definition does not say so itself (retention_days, retention_count); dry_run: nothing goes.
--      Three columns say how many ended jobs of a tenant and definition the walk has met before, for those that the answer before named
-- out: a row for each tenant and definition: how many jobs went, with how many lines, when the oldest of them had ended; counted: how many ended jobs of it were
--      met, null where no number of jobs is set; 0 for those that the next step may meet. A last row without a tenant has the seq to go on below, null when the walk is over,
--      and how many jobs were looked at. 5 lines for each job that is looked at go in a step at most: a job with more of them goes in a later step

-- statement: rules
select coalesce(max(retention_count is not null), 0), min(retention_days) from jobplane_definitions

-- statement: newest
select coalesce(max(seq), 0) from jobplane_jobs

-- statement: made
select created_at from jobplane_jobs where seq >= ? order by seq limit 1

-- statement: stretch
select j.seq, j.tenant_no, t.tenant_id, j.definition_key, d.retention_days, d.retention_count, e.status, e.finished_at
  from (select seq, tenant_no, definition_key from jobplane_jobs where seq < ? order by seq desc limit ?) j
  left join jobplane_tenants t on t.tenant_no = j.tenant_no
  left join jobplane_definitions d on d.key = j.definition_key
  left join jobplane_endings e on e.tenant_no = j.tenant_no and e.status in ('succeeded', 'failed', 'dead_letter', 'canceled') and e.seq = j.seq
 order by j.seq desc

-- statement: ahead
select distinct t.tenant_id, j.definition_key, d.retention_count
  from (select tenant_no, definition_key from jobplane_jobs where seq < ? order by seq desc limit ?) j
  join jobplane_tenants t on t.tenant_no = j.tenant_no
  left join jobplane_definitions d on d.key = j.definition_key

-- statement: endings
delete from jobplane_endings where (tenant_no, status, seq) in (select value ->> 0, value ->> 1, value ->> 2 from json_each(?))

-- statement: attempts
delete from jobplane_attempts where seq in (select value from json_each(?))

-- statement: results
delete from jobplane_results where seq in (select value from json_each(?))

-- statement: outputs
delete from jobplane_outputs where seq in (select value from json_each(?))

-- statement: receipts
delete from jobplane_receipts where (tenant_no, definition_id, idempotency_key, seq) in (
  select r.tenant_no, r.definition_id, r.idempotency_key, r.seq from json_each(?) x cross join jobplane_jobs j on j.seq = x.value
   cross join jobplane_receipts r on r.tenant_no = j.tenant_no and r.definition_id = j.definition_id and r.idempotency_key = j.idempotency_key and r.seq = j.seq)

-- statement: dedupe
delete from jobplane_dedupe where (tenant_no, dedupe_key, seq) in (
  select k.tenant_no, k.dedupe_key, k.seq from json_each(?) x cross join jobplane_jobs j on j.seq = x.value
   cross join jobplane_dedupe k on k.tenant_no = j.tenant_no and k.dedupe_key = j.dedupe_key and k.seq = j.seq)

-- statement: expiring
delete from jobplane_expiring where (expires_at, seq) in (
  select j.expires_at, j.seq from json_each(?) x cross join jobplane_jobs j on j.seq = x.value where j.expires_at is not null)

-- statement: jobs
delete from jobplane_jobs where seq in (select value from json_each(?))
