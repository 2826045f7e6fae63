-- delete_worker: forget a worker that has not been seen for a minute; its leases, if it left any, are the reaper's
-- out: nothing. A worker that is not there is refused, and so is one that gives signs of life: it would register again

-- statement: find
select hostname, last_seen_at > ? from jobplane_workers where worker_id = ?
