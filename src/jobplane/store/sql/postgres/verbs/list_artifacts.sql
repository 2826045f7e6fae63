-- list_artifacts: one step of a walk over the results: which files in artifacts_dir they name
-- in:  the seq to go on after; how many results to look at, 10,000 at most
-- out: the digests that were found, the seq to go on after: null when the walk is over
-- owner: engine
-- for: scheduler
create or replace function jobplane.list_artifacts(p_after bigint default 0, p_limit int default 1000) returns table (digests text[], next_after bigint)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_most constant int := least(greatest(p_limit, 1), 10000);
begin
  -- A reference has 200 bytes. A longer result is not fetched from where it is stored.
  return query
  select coalesce(array_agg(distinct x.digest) filter (where x.digest is not null), '{}'), case when count(*) = v_most then max(x.seq) end
    from (select r.seq, case when pg_column_size(r.result) < 1000 then r.result -> 'jobplane_artifact' ->> 'sha256' end as digest
            from jobplane.results r where r.seq > p_after order by r.seq limit v_most) x;
end $$;
