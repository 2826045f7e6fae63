-- enqueue_many: many jobs of a tenant, in the caller's transaction; one answer for each row, and no row sinks another
-- in:  one JSON array for each statement, its rows as arrays
-- out: job_id, outcome: created | existing (it has the row's id, idempotency key or dedupe key) | replaced | postponed | refused, error_code, error
-- replace and postpone are refused as duplicate_job where a job of another definition holds the dedupe key; job_id is that job

-- statement: jobs
insert into jobplane_jobs (seq, id, tenant_no, created_at, scheduled_for, definition_id, queue_id, timeout_seconds, backoff_base, backoff_factor, backoff_cap,
                           backoff_jitter, priority, max_attempts, source, source_ref, correlation_id, created_by, trace_context, artifact_ref, dedupe_key,
                           idempotency_key, definition_key, expires_at, tags, metadata, payload)
select x.value ->> 0, x.value ->> 1, ?, ?, x.value ->> 2, d.definition_id, x.value ->> 4, x.value ->> 5, d.backoff_base, d.backoff_factor, d.backoff_cap,
       d.backoff_jitter, x.value ->> 6, x.value ->> 7, x.value ->> 8, x.value ->> 9, x.value ->> 10, x.value ->> 11, x.value ->> 12, x.value ->> 13, x.value ->> 14,
       x.value ->> 15, d.key, x.value ->> 16, x.value ->> 17, x.value ->> 18, x.value ->> 19
  from json_each(?) x cross join jobplane_definitions d on d.definition_id = x.value ->> 3

-- statement: plain
-- The same for jobs that have nothing but a definition and a payload, and are due now.
insert into jobplane_jobs (seq, id, tenant_no, created_at, scheduled_for, definition_id, queue_id, timeout_seconds, backoff_base, backoff_factor, backoff_cap,
                           backoff_jitter, priority, max_attempts, source, definition_key, payload)
select x.value ->> 0, x.value ->> 1, ?, ?, ?, d.definition_id, d.queue_id, d.timeout_seconds, d.backoff_base, d.backoff_factor, d.backoff_cap,
       d.backoff_jitter, d.priority, d.max_attempts, 'manual', d.key, x.value ->> 3
  from json_each(?) x cross join jobplane_definitions d on d.definition_id = x.value ->> 2

-- statement: ready
insert into jobplane_ready (seq, tag, tenant_no, scheduled_for, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left, interruptions, deduped, alone)
select j.seq, x.value ->> 1, j.tenant_no, j.scheduled_for, j.expires_at, j.queue_id, j.definition_id, 0, j.priority, j.max_attempts, 0, j.dedupe_key is not null, 0
  from json_each(?) x cross join jobplane_jobs j on j.seq = x.value ->> 0

-- statement: ready_run
-- The same for a run of seqs that all stand in one lane.
insert into jobplane_ready (seq, tag, tenant_no, scheduled_for, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left, interruptions, deduped, alone)
select seq, ? + ? * (seq - ?), tenant_no, scheduled_for, expires_at, queue_id, definition_id, 0, priority, max_attempts, 0, dedupe_key is not null, 0
  from jobplane_jobs where seq > ? and seq <= ?

-- statement: upcoming
insert into jobplane_upcoming (seq, tenant_no, scheduled_for, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left, interruptions, deduped, alone)
select seq, tenant_no, scheduled_for, expires_at, queue_id, definition_id, 0, priority, max_attempts, 0, dedupe_key is not null, 0
  from jobplane_jobs where seq in (select value from json_each(?))

-- statement: expiring
insert into jobplane_expiring (expires_at, seq) select value ->> 0, value ->> 1 from json_each(?)

-- statement: ids
select id from jobplane_jobs where tenant_no = ? and id in (select value from json_each(?))

-- statement: receipts
select r.definition_id, r.idempotency_key, r.fingerprint, j.id, j.seq from json_each(?) x
 cross join jobplane_receipts r on r.tenant_no = ? and r.definition_id = x.value ->> 0 and r.idempotency_key = x.value ->> 1
 cross join jobplane_jobs j on j.seq = r.seq

-- statement: holders
select d.dedupe_key, d.seq, j.id, j.definition_key, exists (select 1 from jobplane_leases l where l.seq = d.seq) from json_each(?) x
 cross join jobplane_dedupe d on d.tenant_no = ? and d.dedupe_key = x.value
 cross join jobplane_jobs j on j.seq = d.seq

-- statement: replace
update jobplane_jobs set payload = ? where seq = ?

-- statement: pending
select count(*) from (
  select 1 from jobplane_ready where tenant_no = ? union all select 1 from jobplane_held where tenant_no = ? union all
  select 1 from jobplane_upcoming where tenant_no = ? union all select 1 from jobplane_leases where tenant_no = ? limit ?)

-- statement: hold_receipts
-- A key that is there still belongs to a job that is not.
insert into jobplane_receipts (tenant_no, definition_id, idempotency_key, seq, fingerprint) select ?, value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(?) where true
on conflict (tenant_no, definition_id, idempotency_key) do update set seq = excluded.seq, fingerprint = excluded.fingerprint

-- statement: hold_dedupe
insert into jobplane_dedupe (tenant_no, dedupe_key, seq) select ?, value ->> 0, value ->> 1 from json_each(?) where true
on conflict (tenant_no, dedupe_key) do update set seq = excluded.seq
