-- list_attempts: the attempts of one job of the tenant that is set, the newest first; the one that runs is the lease. The last columns are those of a command

-- statement: list
select x.*, o.pid, o.signal, o.user_ms, o.system_ms, o.max_rss_bytes, o.stdout_bytes, o.stderr_bytes, o.bytes_dropped
  from (
  select attempt_no, 'running', null, worker_id, scheduled_for, started_at, null, null, null, null, progress, progress_message, null
    from jobplane_leases where seq = ? and attempt_no < ?
  union all
  select attempt_no, case outcome when 'fatal' then 'failed' else outcome end, outcome, worker_id, scheduled_for, started_at, finished_at, exit_code, reason, error,
         progress, progress_message, led_to
    from jobplane_attempts where seq = ? and attempt_no < ?) x
  left join jobplane_outputs o on o.seq = ? and o.attempt_no = x.attempt_no
 order by x.attempt_no desc limit ?
