-- create_session: sign a browser in, with an API key or with a link, which works once
-- in:  the SHA-256 of the session's token; seconds until it ends, and until it ends unused, 60 to 31536000; key_id and the SHA-256 of the key's secret, or else
--      the SHA-256 of a link; the SHA-256 of the token of a session that this one replaces
-- out: the session and what its principal may do; no row where key or link is wrong, used, revoked or has expired. The same call again answers the same. A principal
--      has 100 sessions at most: the oldest one ends

-- statement: there
select 1 from jobplane_sessions where digest = ?

-- statement: use
delete from jobplane_session_links where digest = ? and expires_at > ? returning principal_type, principal_id, session_until

-- statement: insert
insert into jobplane_sessions (digest, principal_type, principal_id, created_at, expires_at, idle_until) values (?, ?, ?, ?, ?, ?)

-- statement: replace
delete from jobplane_sessions where digest = ? and digest <> ?

-- statement: oldest
delete from jobplane_sessions where digest in (select digest from jobplane_sessions where principal_type = ? and principal_id = ? and digest <> ? order by created_at desc limit -1 offset 99)
