-- reap: settle for workers that are gone, as lost; as released, which is refunded, where the handler had not begun
-- A lease that was renewed since we looked is locked or no longer due, so look under the lock. A release by the reaper counts as an interruption: a job that takes its
-- whole worker down before a renewal could say that it has begun is buried some day.
-- in:  how many at most
-- out: how many leases were ended
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.reap(p_limit int default 500) returns int
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
  if v_seqs is null then return 0; end if;
  return (select count(*) from jobplane.settle(v_seqs, v_nos, v_tokens, v_ends, array_fill('lease_expired'::text, array[cardinality(v_seqs)])) where accepted);
end $$;
