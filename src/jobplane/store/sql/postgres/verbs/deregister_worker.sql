-- deregister_worker: a worker is gone for good; its leases, if it left any, are the reaper's, and another does the upkeep
-- out: whether it was registered
-- owner: engine
-- for: worker, scheduler, admin
create or replace function jobplane.deregister_worker(p_worker_id text) returns boolean
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
declare
  v_was boolean;
begin
  delete from jobplane.workers w where w.worker_id = p_worker_id;
  v_was := found;
  update jobplane.upkeep t set until = '-infinity'
   where t.ctid = (select x.ctid from jobplane.upkeep x where x.done_by = p_worker_id for update skip locked);
  return v_was;
end $$;
