-- settle: end the leases that are ours and that nobody else has locked
-- params: p_seqs bigint[], p_attempt_nos int[], p_tokens uuid[], p_outcomes jobplane.attempt_outcome[], p_reasons text[], p_errors text[], p_exit_codes int[], p_retry_afters double precision[], p_results jsonb[], p_progress real[], p_max_interruptions int, p_quiet boolean, p_setbacks boolean, v_now timestamptz
-- into: v_count, v_seqs, v_nos, v_led, v_next, v_freed
with c as materialized (
  select l.tid, x.outcome, x.reason, x.error, x.exit_code, x.retry_after, x.result, x.progress
    from unnest(p_seqs, p_attempt_nos, p_tokens, p_outcomes, p_reasons, p_errors, p_exit_codes, p_retry_afters, p_results, p_progress)
           x(seq, no, token, outcome, reason, error, exit_code, retry_after, result, progress),
         lateral (select l.ctid as tid from jobplane.leases l where l.seq = x.seq and l.attempt_no = x.no and l.token = x.token for update skip locked) l),
w as (                                                  -- what the further parts filter by stands first: a row is taken apart no further than needed
  delete from jobplane.leases l using c where l.ctid = c.tid
  returning (case when c.outcome = 'succeeded' then 'succeeded'
                  when l.cancel_requested_at is not null or c.outcome = 'canceled' then 'canceled'
                  when c.outcome = 'released' then case when c.reason in ('shutdown', 'lease_expired') and l.interruptions >= p_max_interruptions then 'dead_letter'
                                                        when c.reason in ('suspect', 'neighbour', 'shutdown', 'lost_contact', 'lease_expired')
                                                         and (select j.max_attempts from jobplane.jobs j where j.seq = l.seq) = 1 then 'dead_letter'     -- at most one start
                                                        else 'queued' end
                  when c.outcome = 'fatal' then 'failed'
                  when l.attempts_left <= 0 then 'dead_letter'
                  else 'queued' end)::jobplane.job_status as led,
            l.deduped, c.result, l.seq, l.tenant_id, l.attempt_no, l.attempts_left, c.outcome, c.reason, l.cancel_reason, l.token, l.scheduled_for, l.started_at,
            c.exit_code, coalesce(c.progress, l.progress) as progress, l.worker_id, c.error, l.progress_message, l.limit_keys,
            c.retry_after, l.queue_id, l.definition_id, l.priority, l.interruptions, l.alone),
a as (
  insert into jobplane.attempts
  select seq, tenant_id, token, scheduled_for, started_at, v_now, attempt_no, outcome, led, exit_code, progress, worker_id, reason, error, progress_message from w),
e as (
  insert into jobplane.endings
  select seq, tenant_id, v_now, attempt_no, led::text, attempts_left,
         case when led = 'succeeded' then null
              when led = 'canceled' then coalesce(cancel_reason, reason)
              when outcome = 'released' and reason in ('shutdown', 'lease_expired') and interruptions >= p_max_interruptions then 'interrupted'
              when outcome = 'timeout' then 'timeout'
              else coalesce(reason, case when led = 'dead_letter' then outcome::text end) end
    from w where led <> 'queued'),
s as (
  insert into jobplane.results select seq, tenant_id, result from w where led = 'succeeded' and result is not null),
u as (
  insert into jobplane.upcoming
  select w.seq, w.tenant_id, v_now + make_interval(secs => j.delay), null, w.queue_id, j.definition_id, w.attempt_no, w.priority,
         w.attempts_left + (w.outcome = 'released')::int, w.interruptions + (w.outcome = 'released' and coalesce(w.reason, '') in ('shutdown', 'lease_expired'))::int,
         w.deduped, w.alone or coalesce(w.reason = 'suspect' or (w.reason = 'stuck' and w.outcome = 'timeout'), false)
    from w, lateral (select coalesce(w.retry_after, case w.outcome when 'released' then 0 when 'lost' then jobplane.dice()
                                                     else jobplane.backoff_delay(j, j.max_attempts - w.attempts_left) end) as delay,
                           coalesce((select d.definition_id from jobplane.definitions d where d.key = j.definition_key), 0) as definition_id     -- 0: gone
                       from jobplane.jobs j where j.seq = w.seq offset 0) j
   where w.led = 'queued'
  returning seq, scheduled_for),
x as (
  delete from jobplane.dedupe p
   using (select k.tid from w, lateral (select j.dedupe_key from jobplane.jobs j where j.seq = w.seq offset 0) j,
                 lateral (select k.ctid as tid from jobplane.dedupe k where k.tenant_id = w.tenant_id and k.dedupe_key = j.dedupe_key and k.seq = w.seq offset 0) k
           where w.deduped and w.led <> 'queued') k
   where p.ctid = k.tid)
select count(*), array_agg(w.seq) filter (where not p_quiet or (p_setbacks and w.outcome <> 'succeeded')),
       array_agg(w.attempt_no) filter (where not p_quiet or (p_setbacks and w.outcome <> 'succeeded')),
       array_agg(w.led) filter (where not p_quiet or (p_setbacks and w.outcome <> 'succeeded')),
       (select jsonb_object_agg(u.seq, u.scheduled_for) from u),
       (select array_agg(k) from (select unnest(w.limit_keys) as k from w where w.limit_keys is not null) x)
  into v_count, v_seqs, v_nos, v_led, v_next, v_freed from w;
