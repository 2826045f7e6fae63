-- write_outputs: keep the resource use and the ends of stdout and stderr of commands, each with the proof of the lease that it ran under. Call it before the attempt is
-- settled
-- in:  seqs, attempt_nos, tokens; pids; signals: the number of the signal that ended it; milliseconds of processor time in user and system mode; the largest memory
--      that it held; bytes written to stdout and stderr, and how many of them the log did not take; the ends of both streams, of which the last 65,536 characters stay
-- out: the seqs whose lease is not the one named: nothing was kept for these
-- Another output of the same attempt replaces the first one.

-- statement: write
insert into jobplane_outputs (seq, attempt_no, pid, signal, user_ms, system_ms, max_rss_bytes, stdout_tail, stderr_tail, stdout_bytes, stderr_bytes, bytes_dropped)
select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8, value ->> 9, value ->> 10, value ->> 11
  from json_each(?) where true
on conflict (seq, attempt_no) do update
  set pid = excluded.pid, signal = excluded.signal, user_ms = excluded.user_ms, system_ms = excluded.system_ms, max_rss_bytes = excluded.max_rss_bytes,
      stdout_tail = excluded.stdout_tail, stderr_tail = excluded.stderr_tail, stdout_bytes = excluded.stdout_bytes, stderr_bytes = excluded.stderr_bytes,
      bytes_dropped = excluded.bytes_dropped
