-- edit: change a waiting job: payload, priority, queue, max_attempts, timeout_seconds, expires_at, tags, metadata; what the document does not name stays
-- in:  a job id of the tenant that is set, the changes as a JSON object
-- out: outcome: queued | illegal_move | not_found, and the job's status now. A change of queue or priority gives it a new tag, behind the jobs that wait there

-- statement: job
select seq, payload, priority, queue_id, max_attempts, timeout_seconds, expires_at, tags, metadata from jobplane_jobs where tenant_no = ? and id = ?

-- statement: queue
select queue_id from jobplane_queues where name = ?

-- statement: facts
-- A text that cannot be decoded and is not edited stays as it is: it comes and goes as bytes.
update jobplane_jobs set payload = cast(? as text), priority = ?, queue_id = ?, max_attempts = ?, timeout_seconds = ?, expires_at = ?, tags = cast(? as text),
       metadata = cast(? as text), changed_at = ?
 where seq = ?

-- statement: place
update jobplane_upcoming
   set priority = ?, queue_id = ?, attempts_left = max(attempts_left + ?, 1), expires_at = case when attempt_no = 0 then ? end where seq = ?

-- statement: leave
delete from jobplane_expiring where expires_at = ? and seq = ?

-- statement: expiring
insert into jobplane_expiring (expires_at, seq) values (?, ?)
