-- tidy: remove limit rows that nothing uses, and workers that were not seen for a day
-- out: how many rows went
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.tidy() returns int
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
declare
  v_limits  int;
  v_workers int;
begin
  delete from jobplane.limits l where l.ctid = any (array(
    select x.ctid from jobplane.limits x where x.used = 0 and not x.waiting limit 1000 for update skip locked)) and l.used = 0 and not l.waiting;
  get diagnostics v_limits = row_count;
  delete from jobplane.workers w where w.ctid = any (array(
    select x.ctid from jobplane.workers x where x.last_seen_at < jobplane.clock() - interval '1 day' limit 1000 for update skip locked));
  get diagnostics v_workers = row_count;
  return v_limits + v_workers;
end $$;
