-- reap: settle for workers that are gone; reap_all says how
-- in:  how many at most
-- out: how many leases were ended
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.reap(p_limit int default 500) returns int
language sql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
  select count(*)::int from jobplane.reap_all(p_limit)
$$;
