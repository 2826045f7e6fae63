-- tidy: remove limit rows that nothing uses, and workers that were not seen for a day; enter new lines of logs into the index of their words
-- out: how many rows went

-- statement: limits
delete from jobplane_limits where used = 0 and not waiting returning 1

-- statement: workers
delete from jobplane_workers where last_seen_at < ? returning 1

-- statement: words
insert into jobplane_log_words (rowid, message) select id, message from jobplane_logs where id > ? order by id limit 20000
