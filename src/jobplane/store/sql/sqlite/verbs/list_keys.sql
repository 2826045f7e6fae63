-- list_keys: API keys in the order of their ids, without their digests
-- in:  tenant and owner_user_id, null: those of all; limit 1 to 1000; the id after which to begin

-- statement: page
select k.key_id, nullif(t.tenant_id, '00000000-0000-7000-8000-000000000002'), k.role, k.name, k.owner_user_id, k.created_at, k.created_by, k.expires_at, k.revoked_at,
       k.last_used_at, k.replaced_by
  from jobplane_api_keys k join jobplane_tenants t on t.tenant_no = k.tenant_no
 where (? is null or k.tenant_no = ?) and (? is null or k.owner_user_id = ?) and k.key_id > cast(? as text) order by k.key_id limit ?

-- statement: one
select k.key_id, nullif(t.tenant_id, '00000000-0000-7000-8000-000000000002'), k.role, k.name, k.owner_user_id, k.created_at, k.created_by, k.expires_at, k.revoked_at,
       k.last_used_at, k.replaced_by
  from jobplane_api_keys k join jobplane_tenants t on t.tenant_no = k.tenant_no where k.key_id = ?
