-- get_output: the resource use and the ends of stdout and stderr of a command, in one attempt of a job of the tenant that is set; no row where the attempt ran no command

-- statement: output
select pid, signal, user_ms, system_ms, max_rss_bytes, stdout_tail, stderr_tail, stdout_bytes, stderr_bytes, bytes_dropped
  from jobplane_outputs where seq = ? and attempt_no = ?
