-- tidy: remove limit rows that nothing uses, workers that were not seen for a day, replies older than a day, and sessions and links that have expired, a thousand of each at most; enter new lines of logs into the index of their words
-- out: how many rows went

-- statement: limits
delete from jobplane_limits where used = 0 and not waiting returning 1

-- statement: workers
delete from jobplane_workers where last_seen_at < ? returning 1

-- statement: replies
delete from jobplane_replies where (tenant_no, operation, key) in (select tenant_no, operation, key from jobplane_replies where created_at < ? order by created_at limit 1000) returning 1

-- statement: sessions
delete from jobplane_sessions where digest in (select digest from jobplane_sessions where idle_until <= ? order by idle_until limit 1000) returning 1

-- statement: links
delete from jobplane_session_links where digest in (select digest from jobplane_session_links where expires_at <= ? order by expires_at limit 1000) returning 1

-- statement: words
insert into jobplane_log_words (rowid, message) select id, message from jobplane_logs where id > ? order by id limit 20000
