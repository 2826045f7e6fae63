-- see_worker: a worker is alive, and how many jobs it runs
-- out: false where it is not registered (any more), or where what it serves cannot be decoded: it must register again

-- statement: serves
select queues, definitions from jobplane_workers where worker_id = ?

-- statement: see
update jobplane_workers set last_seen_at = ?, running_count = ? where worker_id = ? returning 1
