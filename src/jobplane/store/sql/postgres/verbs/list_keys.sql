-- list_keys: API keys in the order of their ids, without their digests
-- in:  tenant and owner_user_id, null: those of all; limit 1 to 1000; the id after which to begin
-- owner: engine
-- for: admin
create or replace function jobplane.list_keys(p_tenant_id uuid default null, p_owner_user_id text default null, p_limit int default 100, p_after text default '')
returns table (key_id text, tenant_id uuid, role text, name text, owner_user_id text, created_at timestamptz, created_by jsonb, expires_at timestamptz,
               revoked_at timestamptz, last_used_at timestamptz, replaced_by text)
language sql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
  select * from jobplane.show_keys(array(
    select k.key_id from jobplane.api_keys k
     where (p_tenant_id is null or k.tenant_id = p_tenant_id) and (p_owner_user_id is null or k.owner_user_id = p_owner_user_id) and k.key_id > p_after
     order by k.key_id limit least(greatest(p_limit, 1), 1000)))
$$;
