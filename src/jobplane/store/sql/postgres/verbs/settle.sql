-- settle: end leased attempts; succeed, requeue, bury, fail, release or cancel by the row's own policy
-- in:  seqs, attempt_nos, tokens, outcomes; reasons (released: shutdown | snooze | suspect | …; timeout: stuck, the next attempt runs alone), errors, exit codes, seconds until the next attempt, results, progress
--      quiet: answer only what was not accepted; setbacks: and what did not succeed
-- out: seq, attempt_no, accepted (null: locked elsewhere, ask again in 50 ms), the job's status then, next_at (setbacks: when a job that was queued again may start)
-- A job with max_attempts = 1 starts at most once: released as suspect, neighbour, shutdown, lost_contact or lease_expired it is a dead letter for that reason.
-- The same call again gets the same answer; another outcome, or one that comes after the reaper, is refused and changes nothing.
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.settle(
  p_seqs bigint[], p_attempt_nos int[], p_tokens uuid[], p_outcomes jobplane.attempt_outcome[], p_reasons text[] default null, p_errors text[] default null,
  p_exit_codes int[] default null, p_retry_afters double precision[] default null, p_results jsonb[] default null, p_progress real[] default null,
  p_max_interruptions int default 20, p_quiet boolean default false, p_setbacks boolean default false)
returns table (seq bigint, attempt_no int, accepted boolean, status text, next_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_now   timestamptz := jobplane.clock();
  v_count int;
  v_seqs  bigint[];
  v_nos   int[];
  v_led   jobplane.job_status[];
  v_next  jsonb;
  v_freed text[];
begin
  if p_retry_afters is not null and exists (select from unnest(p_retry_afters) r where r < 0 or r > 31536000 or r = 'NaN') then
    raise exception 'The retry_after must be between 0 and 31536000 seconds.' using errcode = 'JP002';
  end if;
  /*statement:settle*/;
  return query select s, n, true, l::text, case when p_setbacks then (v_next ->> s::text)::timestamptz end from unnest(v_seqs, v_nos, v_led) z(s, n, l);
  if v_freed is not null then perform jobplane.give_back(v_freed); end if;
  if v_count < cardinality(p_seqs) then        -- a repeat finds its answer in attempts
    return query
    select x.seq, x.no, case when a.seq is not null then true when l.seq is null then false end,
           coalesce(a.led_to::text, case when l.seq is null then 'stale' else 'busy' end),
           case when p_setbacks and a.led_to = 'queued' then coalesce(
             (select w.scheduled_for from jobplane.upcoming w where w.tenant_id = a.tenant_id and w.seq = a.seq and w.attempt_no = a.attempt_no),
             (select w.scheduled_for from jobplane.ready w where w.tenant_id = a.tenant_id and w.seq = a.seq and w.attempt_no = a.attempt_no),
             (select w.scheduled_for from jobplane.held w where w.tenant_id = a.tenant_id and w.seq = a.seq and w.attempt_no = a.attempt_no)) end
      from unnest(p_seqs, p_attempt_nos, p_tokens, p_outcomes, p_reasons) x(seq, no, token, outcome, reason)
      left join lateral (select * from jobplane.leases l where l.seq = x.seq and l.attempt_no = x.no and l.token = x.token offset 0) l on true
      left join lateral (select * from jobplane.attempts a where a.seq = x.seq and a.attempt_no = x.no and a.token = x.token and a.outcome = x.outcome
                            and (a.reason is not distinct from 'lease_expired') = (x.reason is not distinct from 'lease_expired') offset 0) a on true
     where case when p_quiet and not (p_setbacks and x.outcome <> 'succeeded') then a.seq is null else not exists (select from unnest(v_seqs, v_nos) z(seq, no) where z.seq = x.seq and z.no = x.no) end;
  end if;
end $$;
