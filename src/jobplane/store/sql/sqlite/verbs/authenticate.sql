-- authenticate: whom an API key stands for. The secret is compared here: no login reads a digest
-- in:  key_id, the SHA-256 of the secret
-- out: one row, or none for an unknown id, a wrong secret, a key that was revoked or has expired. The tenant of a platform key is null. Notes the use of the key, once
--      a minute at most, and waits for no lock

-- statement: find
select k.key_id, nullif(t.tenant_id, '00000000-0000-7000-8000-000000000002'), case when t.slug <> 'system' then t.slug end, k.role, k.name, k.owner_user_id, k.expires_at, k.last_used_at
  from jobplane_api_keys k join jobplane_tenants t on t.tenant_no = k.tenant_no
 where k.key_id = ? and k.secret_digest = ? and k.revoked_at is null and (k.expires_at is null or k.expires_at > ?)

-- statement: use
update jobplane_api_keys set last_used_at = ? where key_id = ?
