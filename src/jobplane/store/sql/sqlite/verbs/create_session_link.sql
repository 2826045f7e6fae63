-- create_session_link: keep a link that signs a principal in once, within ten minutes
-- in:  the SHA-256 of the link; principal: key or login, and its id; when the session that comes of it ends at the latest, null: as any other
-- out: when the link expires; no row where the principal may do nothing any more. A principal has 20 links at most: the oldest one ends

-- statement: there
select expires_at from jobplane_session_links where digest = ?

-- statement: principal
select tenant_no from jobplane_api_keys where key_id = ? and revoked_at is null and (expires_at is null or expires_at > ?)

-- statement: insert
insert into jobplane_session_links (digest, principal_type, principal_id, created_at, expires_at, session_until) values (?, ?, ?, ?, ?, ?)

-- statement: oldest
delete from jobplane_session_links where digest in (select digest from jobplane_session_links where principal_type = ? and principal_id = ? and digest <> ? order by created_at desc limit -1 offset 19)
