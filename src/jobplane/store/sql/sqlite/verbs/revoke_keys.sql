-- revoke_keys: end API keys for good; authenticate refuses them from the commit on
-- in:  ids; tenant and owner_user_id, null: those of all
-- out: the ids that are there; a key that was revoked before stays so

-- statement: found
select key_id, tenant_no, revoked_at from jobplane_api_keys
 where key_id in (select value from json_each(?)) and (? is null or tenant_no = ?) and (? is null or owner_user_id = ?) order by key_id

-- statement: revoke
update jobplane_api_keys set revoked_at = ? where key_id in (select value from json_each(?)) and revoked_at is null
