-- reap_all: settle for workers that are gone, as lost; as released, which is refunded, where the handler was not known to have begun
-- A lease that was renewed since we looked is locked or no longer due, so look under the lock. A release by the reaper counts as an interruption: a job that takes its
-- whole worker down before a renewal could say that it has begun is buried some day. A job with max_attempts = 1 is buried at once.
-- in:  how many at most
-- out: job_id, tenant_id, definition_key, attempt_no, worker_id (whose lease it was), trace_context, outcome, the job's status then, milliseconds since its claim, the tenant's slug, correlation_id, the attempt's reason, attempts_left, next_at (when a job that was queued again may start)
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.reap_all(p_limit int default 500)
returns table (job_id uuid, tenant_id uuid, definition_key text, attempt_no int, worker_id text, trace_context text, outcome text, status text, held_ms bigint, tenant text, correlation_id text,
  reason text, attempts_left int, next_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_seqs   bigint[];
  v_nos    int[];
  v_tokens uuid[];
  v_ends   jobplane.attempt_outcome[];
  v_n      constant int := least(greatest(p_limit, 1), 1000);
begin
  select array_agg(seq), array_agg(attempt_no), array_agg(token), array_agg((case when begun then 'lost' else 'released' end)::jobplane.attempt_outcome)
    into v_seqs, v_nos, v_tokens, v_ends
    from (select seq, attempt_no, token, begun from jobplane.leases where expires_at < jobplane.clock() limit v_n for update skip locked) x;
  if v_seqs is null then return; end if;
  select array_agg(s.seq), array_agg(s.attempt_no) into v_seqs, v_nos
    from jobplane.settle(v_seqs, v_nos, v_tokens, v_ends, array_fill('lease_expired'::text, array[cardinality(v_seqs)])) s where s.accepted;
  -- Another statement: the attempts were written by the one before.
  return query
  select j.id, j.tenant_id, j.definition_key, a.attempt_no, a.worker_id, j.trace_context, a.outcome::text, a.led_to::text,
         case when isfinite(a.started_at) then (extract(epoch from a.finished_at - a.started_at) * 1000)::bigint end, t.slug, j.correlation_id,
         a.reason, coalesce(u.attempts_left, 0)::int, u.scheduled_for
    from unnest(v_seqs, v_nos) x(seq, no),
         lateral (select * from jobplane.attempts a where a.seq = x.seq and a.attempt_no = x.no offset 0) a,
         lateral (select * from jobplane.jobs j where j.seq = x.seq offset 0) j,
         lateral (select t.slug from jobplane.tenants t where t.tenant_id = j.tenant_id offset 0) t
         left join lateral (select u.attempts_left, u.scheduled_for from jobplane.upcoming u where u.tenant_id = j.tenant_id and u.seq = j.seq offset 0) u on true;
end $$;
