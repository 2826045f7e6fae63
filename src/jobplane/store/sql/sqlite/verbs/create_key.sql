-- create_key: keep a new API key, of which the caller alone has the secret
-- in:  key_id, 12 characters of 0-9 and a-z; the SHA-256 of the secret; role; tenant, null for the platform roles super_admin and worker; owner_user_id narrows
--      the key to the jobs of one user of the application
-- out: the key without its digest

-- statement: taken
select 1 from jobplane_api_keys where key_id = ?

-- statement: insert
insert into jobplane_api_keys (key_id, tenant_no, role, name, owner_user_id, secret_digest, created_at, created_by, expires_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?)
