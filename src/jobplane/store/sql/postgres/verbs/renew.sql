-- renew: prolong leases, with progress where it is given; tells the worker which jobs are to be canceled
-- in:  seqs, attempt_nos, tokens; lease seconds; progress (0 to 1) and its message, null: as it was
-- out: seq, answer: renewed | cancel | busy (somebody's transaction has it locked: ask again) | gone, and when the lease ends
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.renew(p_seqs bigint[], p_attempt_nos int[], p_tokens uuid[], p_lease_seconds int default 30,
                                          p_progress real[] default null, p_messages text[] default null)
returns table (seq bigint, answer text, lease_expires_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_now   constant timestamptz := jobplane.clock();
  v_until constant timestamptz := v_now + make_interval(secs => p_lease_seconds);
  v_n     int;
begin
  if p_lease_seconds is null or p_lease_seconds not between 5 and 3600 then
    raise exception 'The lease_seconds must be between 5 and 3600, not %.', p_lease_seconds using errcode = 'JP002';
  end if;
  return query
  /*statement:renew*/;
  get diagnostics v_n = row_count;
  if v_n < cardinality(p_seqs) then                     -- a tenant cancels it just now, or it is no longer ours
    return query
    select x.seq, case when l.seq is null then 'gone' else 'busy' end, l.expires_at
      from unnest(p_seqs, p_attempt_nos, p_tokens) x(seq, no, token)
      left join lateral (select * from jobplane.leases l where l.seq = x.seq and l.attempt_no = x.no and l.token = x.token offset 0) l on true
     where l.seq is null or l.expires_at is distinct from v_until;
  end if;
end $$;
