-- see_worker: a worker is alive and runs so many jobs; draining: it is stopping and claims no more, null: as before
-- out: false where it is not registered (any more), or where a command that it knew or has in its policy has changed: it must register again
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.see_worker(p_worker_id text, p_running_count int default 0, p_draining boolean default null) returns boolean
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
begin
  update jobplane.workers w set last_seen_at = jobplane.clock(), running_count = p_running_count, draining = coalesce(p_draining, w.draining)
   where w.worker_id = p_worker_id and not w.outdated;
  return found;
end $$;
