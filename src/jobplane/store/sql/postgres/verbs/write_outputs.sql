-- write_outputs: keep the resource use and the ends of stdout and stderr of commands, each with the proof of the lease that it ran under. Call it before the attempt is
-- settled
-- in:  seqs, attempt_nos, tokens; pids; signals: the number of the signal that ended it; milliseconds of processor time in user and system mode; the largest memory
--      that it held; bytes written to stdout and stderr, and how many of them the log did not take; the ends of both streams, of which the last 65,536 characters stay
-- out: the seqs whose lease is not the one named: nothing was kept for these
-- Another output of the same attempt replaces the first one.
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.write_outputs(p_seqs bigint[], p_attempt_nos int[], p_tokens uuid[], p_pids int[], p_signals int[], p_user_ms bigint[],
                                                  p_system_ms bigint[], p_max_rss_bytes bigint[], p_stdout_bytes bigint[], p_stderr_bytes bigint[],
                                                  p_bytes_dropped bigint[], p_stdout_tails text[], p_stderr_tails text[])
returns table (seq bigint)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_refused bigint[];
begin
  /*statement:log_leases*/;
  insert into jobplane.outputs as o (seq, tenant_id, attempt_no, pid, signal, user_ms, system_ms, max_rss_bytes, stdout_bytes, stderr_bytes, bytes_dropped,
                                     stdout_tail, stderr_tail)
  select distinct on (x.seq) x.seq, l.tenant_id, x.no, x.pid, x.signal, x.user_ms, x.system_ms, x.max_rss_bytes, coalesce(x.stdout_bytes, 0),
         coalesce(x.stderr_bytes, 0), coalesce(x.bytes_dropped, 0), right(coalesce(x.stdout_tail, ''), 65536), right(coalesce(x.stderr_tail, ''), 65536)
    from unnest(p_seqs, p_attempt_nos, p_tokens, p_pids, p_signals, p_user_ms, p_system_ms, p_max_rss_bytes, p_stdout_bytes, p_stderr_bytes, p_bytes_dropped,
                p_stdout_tails, p_stderr_tails) with ordinality
           x(seq, no, token, pid, signal, user_ms, system_ms, max_rss_bytes, stdout_bytes, stderr_bytes, bytes_dropped, stdout_tail, stderr_tail, ord),
         lateral (select l.tenant_id from jobplane.leases l where l.seq = x.seq and l.attempt_no = x.no and l.token = x.token offset 0) l
   order by x.seq, x.ord desc
  on conflict (seq, attempt_no) do update
    set pid = excluded.pid, signal = excluded.signal, user_ms = excluded.user_ms, system_ms = excluded.system_ms, max_rss_bytes = excluded.max_rss_bytes,
        stdout_bytes = excluded.stdout_bytes, stderr_bytes = excluded.stderr_bytes, bytes_dropped = excluded.bytes_dropped,
        stdout_tail = excluded.stdout_tail, stderr_tail = excluded.stderr_tail;
  return query select * from unnest(v_refused);
end $$;
