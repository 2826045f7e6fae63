-- settle: end leased attempts; succeed, requeue, bury, fail, release or cancel by the row's own policy
-- in:  seqs, attempt_nos, tokens, outcomes; reasons (released: shutdown | snooze | suspect | …; timeout: stuck, the next attempt runs alone), errors, exit codes, seconds until the next attempt, results, progress
-- out: seq, attempt_no, accepted (null: locked elsewhere, ask again in 50 ms), the job's status then, next_at (setbacks: when a job that was queued again may start)
-- A job with max_attempts = 1 starts at most once: released as suspect, neighbour, shutdown, lost_contact or lease_expired it is a dead letter for that reason.
-- The same call again gets the same answer; another outcome, or one that comes after the reaper, is refused and changes nothing.

-- statement: leases
select seq, attempt_no, token, attempts_left, interruptions, cancel_requested_at is not null, cancel_reason, alone, deduped, limit_keys, tenant_no
  from jobplane_leases where seq in (select value from json_each(?))

-- statement: succeeded_attempts
insert into jobplane_attempts (seq, attempt_no, token, scheduled_for, started_at, finished_at, outcome, led_to, progress, worker_id, progress_message)
select seq, attempt_no, token, scheduled_for, started_at, ?, 'succeeded', 'succeeded', progress, worker_id, progress_message
  from jobplane_leases where seq in (select value from json_each(?))

-- statement: succeeded_endings
insert into jobplane_endings (seq, tenant_no, finished_at, attempt_no, status, attempts_left)
select seq, tenant_no, ?, attempt_no, 'succeeded', attempts_left from jobplane_leases where seq in (select value from json_each(?))

-- statement: attempts
insert into jobplane_attempts (seq, attempt_no, token, scheduled_for, started_at, finished_at, outcome, led_to, exit_code, progress, worker_id, reason, error,
                               progress_message)
select l.seq, l.attempt_no, l.token, l.scheduled_for, l.started_at, ?, x.value ->> 1, x.value ->> 2, x.value ->> 3, coalesce(x.value ->> 4, l.progress), l.worker_id,
       x.value ->> 5, x.value ->> 6, l.progress_message
  from json_each(?) x cross join jobplane_leases l on l.seq = x.value ->> 0

-- statement: endings
insert into jobplane_endings (seq, tenant_no, finished_at, attempt_no, status, attempts_left, reason)
select l.seq, l.tenant_no, ?, l.attempt_no, x.value ->> 1, l.attempts_left, x.value ->> 2 from json_each(?) x cross join jobplane_leases l on l.seq = x.value ->> 0

-- statement: upcoming
insert into jobplane_upcoming (seq, tenant_no, scheduled_for, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left, interruptions, deduped, alone)
select l.seq, l.tenant_no, x.value ->> 1, null, l.queue_id, coalesce(d.definition_id, 0), l.attempt_no, l.priority, x.value ->> 2, x.value ->> 3, l.deduped, x.value ->> 4
  from json_each(?) x cross join jobplane_leases l on l.seq = x.value ->> 0 cross join jobplane_jobs j on j.seq = l.seq
  left join jobplane_definitions d on d.key = j.definition_key

-- statement: policies
select seq, max_attempts, backoff_base, backoff_factor, backoff_cap, backoff_jitter from jobplane_jobs where seq in (select value from json_each(?))

-- statement: results
insert into jobplane_results (seq, result) select value ->> 0, value ->> 1 from json_each(?)

-- statement: leave
delete from jobplane_leases where seq in (select value from json_each(?))

-- statement: waiting
with x as (select value as seq from json_each(?))
select seq, attempt_no, scheduled_for from jobplane_upcoming where seq in (select seq from x)
union all
select seq, attempt_no, scheduled_for from jobplane_ready where seq in (select seq from x)
union all
select seq, attempt_no, scheduled_for from jobplane_held where seq in (select seq from x)

-- statement: before
select seq, attempt_no, token, outcome, led_to, reason from jobplane_attempts where seq in (select value from json_each(?))
