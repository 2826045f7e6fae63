-- release: give leases back unspent: the attempt is refunded and the job may be claimed again at once
-- in:  seqs, attempt_nos, tokens, one reason (shutdown counts as an interruption; snooze, suspect, unstarted do not. With max_attempts = 1 only snooze and unstarted requeue the job), seconds until it may be claimed
-- out: as settle
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.release(p_seqs bigint[], p_attempt_nos int[], p_tokens uuid[], p_reason text default 'shutdown', p_after double precision default 0)
returns table (seq bigint, attempt_no int, accepted boolean, status text, next_at timestamptz)
language sql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
  select * from jobplane.settle(p_seqs, p_attempt_nos, p_tokens, array_fill('released'::jobplane.attempt_outcome, array[cardinality(p_seqs)]),
                                array_fill(p_reason, array[cardinality(p_seqs)]), p_retry_afters => array_fill(p_after, array[cardinality(p_seqs)]))
$$;
