-- renew_all: renew for a worker that holds many leases; it says which have begun, and hears only of those that need something
-- in:  seqs, attempt_nos, tokens; lease seconds; begun (a lease stays begun: from then on a lost one pays), progress (0 to 1) and its message, null: as it was; until: say when the leases end
-- out: seq, answer: cancel | followed (somebody reads its log now) | busy (somebody's transaction has it locked: ask again) | gone; with until a last row without
--      a seq, and the time in it
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.renew_all(p_seqs bigint[], p_attempt_nos int[], p_tokens uuid[], p_lease_seconds int default 30, p_begun boolean[] default null,
                                              p_progress real[] default null, p_messages text[] default null, p_until boolean default false)
returns table (seq bigint, answer text, lease_expires_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_now      constant timestamptz := jobplane.clock();
  v_until    constant timestamptz := v_now + make_interval(secs => p_lease_seconds);
  v_count    int;
  v_canceled bigint[];
  v_followed bigint[];
begin
  if p_lease_seconds is null or p_lease_seconds not between 5 and 3600 then
    raise exception 'The lease_seconds must be between 5 and 3600, not %.', p_lease_seconds using errcode = 'JP002';
  end if;
  /*statement:renew_all*/;
  return query select s, 'cancel', null::timestamptz from unnest(v_canceled) s union all select s, 'followed', null from unnest(v_followed) s;
  if v_count < cardinality(p_seqs) then                 -- a tenant cancels it just now, or it is no longer ours
    return query
    select x.seq, case when l.seq is null then 'gone' else 'busy' end, null::timestamptz
      from unnest(p_seqs, p_attempt_nos, p_tokens) x(seq, no, token)
      left join lateral (select * from jobplane.leases l where l.seq = x.seq and l.attempt_no = x.no and l.token = x.token offset 0) l on true
     where l.seq is null or l.expires_at is distinct from v_until;
  end if;
  if p_until then
    return query select null::bigint, null::text, v_until;
  end if;
end $$;
