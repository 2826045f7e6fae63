-- see_worker: a worker is alive and runs so many jobs
-- out: false where it is not registered (any more): it must register again

-- statement: see
update jobplane_workers set last_seen_at = ?, running_count = ? where worker_id = ? returning 1
