-- deregister_worker: a worker is gone for good; its leases, if it left any, are the reaper's
-- out: whether it was registered
-- owner: engine
-- for: worker, scheduler, admin
create or replace function jobplane.deregister_worker(p_worker_id text) returns boolean
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
begin
  delete from jobplane.workers w where w.worker_id = p_worker_id;
  return found;
end $$;
