-- list_attempts: the attempts of one job of the tenant that is set, the newest first; the one that runs is the lease

-- statement: list
select * from (
  select attempt_no, 'running', null, worker_id, scheduled_for, started_at, null, null, null, null, progress, progress_message, null
    from jobplane_leases where seq = ? and attempt_no < ?
  union all
  select attempt_no, case outcome when 'fatal' then 'failed' else outcome end, outcome, worker_id, scheduled_for, started_at, finished_at, exit_code, reason, error,
         progress, progress_message, led_to
    from jobplane_attempts where seq = ? and attempt_no < ?)
 order by 1 desc limit ?
