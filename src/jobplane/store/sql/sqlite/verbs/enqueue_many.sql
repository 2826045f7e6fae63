-- enqueue_many: many jobs of a tenant, in the caller's transaction; one answer for each row, and no row sinks another
-- in:  one JSON array for each statement, its rows as arrays
-- out: job_id, outcome: created | existing (it has the row's id, idempotency key or dedupe key) | replaced | postponed | refused, error_code, error
-- replace and postpone are refused as duplicate_job where a job of another definition holds the dedupe key; job_id is that job

-- statement: ready
with n as (select x.value ->> 1 as new_tag, /*statement:first_state*/ from json_each(?) x cross join jobplane_jobs on seq = x.value ->> 0)
/*statement:insert_ready*/

-- statement: ready_run
-- The same for a run of seqs that all stand in one lane.
with n as (select ? + ? * (seq - ?) as new_tag, /*statement:first_state*/ from jobplane_jobs where seq > ? and seq <= ?)
/*statement:insert_ready*/

-- statement: upcoming
with n as (select /*statement:first_state*/ from jobplane_jobs where seq in (select value from json_each(?)))
/*statement:insert_upcoming*/

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
update jobplane_jobs set payload = ?, changed_at = ? where seq = ?

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
