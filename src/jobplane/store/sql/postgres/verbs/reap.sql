-- reap: settle for workers that are gone, as lost. A lease that was renewed since we looked is locked or no longer due, so look under the lock.
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
  v_n      constant int := least(greatest(p_limit, 1), 1000);
begin
  select array_agg(seq), array_agg(attempt_no), array_agg(token) into v_seqs, v_nos, v_tokens
    from (select seq, attempt_no, token from jobplane.leases where expires_at < jobplane.clock() limit v_n for update skip locked) x;
  if v_seqs is null then return 0; end if;
  return (select count(*) from jobplane.settle(v_seqs, v_nos, v_tokens, array_fill('lost'::jobplane.attempt_outcome, array[cardinality(v_seqs)]),
                                               array_fill('lease_expired'::text, array[cardinality(v_seqs)])) where accepted);
end $$;
