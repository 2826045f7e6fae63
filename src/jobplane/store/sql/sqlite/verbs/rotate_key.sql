-- rotate_key: make a new API key with the tenant, role, name, owner and expiry of an old one, which works on for the overlap and names its successor
-- in:  the old id; id and SHA-256 of the secret of the new key; overlap in seconds, 0 to 2592000; tenant and owner_user_id of the old key, null: any
-- out: the new key without its digest. A key that was revoked or rotated or has expired is not found; the same call again answers the same

-- statement: old
select tenant_no, role, name, owner_user_id, expires_at, revoked_at, replaced_by from jobplane_api_keys
 where key_id = ? and (? is null or tenant_no = ?) and (? is null or owner_user_id = ?)

-- statement: repeated
select 1 from jobplane_api_keys where key_id = ? and secret_digest = ?

-- statement: replace
update jobplane_api_keys set replaced_by = ?, expires_at = min(coalesce(expires_at, ?), ?) where key_id = ?
