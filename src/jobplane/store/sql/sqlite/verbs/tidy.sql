-- tidy: remove limit rows that nothing uses, and workers that were not seen for a day
-- out: how many rows went

-- statement: limits
delete from jobplane_limits where used = 0 and not waiting returning 1

-- statement: workers
delete from jobplane_workers where last_seen_at < ? returning 1
