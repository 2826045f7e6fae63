-- see_worker: a worker is alive and runs so many jobs; draining: it is stopping and claims no more, null: as before
-- out: false where it is not registered (any more), where a command that it knew or has in its policy has changed, or where what it serves cannot be decoded: it
--      must register again

-- statement: serves
select queues, definitions, mismatched from jobplane_workers where worker_id = ? and not outdated

-- statement: see
update jobplane_workers set last_seen_at = ?, running_count = ?, draining = coalesce(?, draining) where worker_id = ? returning 1
