-- reap_all: reap, and say of each lease that was ended whose it was and what became of its job
-- in:  how many at most
-- out: job_id, tenant_id, definition_key, attempt_no, worker_id (whose lease it was), trace_context, outcome, the job's status then, milliseconds since its claim, the tenant's slug, correlation_id, the attempt's reason, attempts_left, next_at (when a job that was queued again may start)

-- statement: told
select j.id, t.tenant_id, j.definition_key, a.attempt_no, a.worker_id, j.trace_context, a.outcome, a.led_to, (a.finished_at - a.started_at) / 1000, t.slug, j.correlation_id,
       a.reason, coalesce(u.attempts_left, 0), u.scheduled_for
  from json_each(?) x
  join jobplane_attempts a on a.seq = x.value ->> 0 and a.attempt_no = x.value ->> 1
  join jobplane_jobs j on j.seq = a.seq
  join jobplane_tenants t on t.tenant_no = j.tenant_no
  left join jobplane_upcoming u on u.seq = j.seq
