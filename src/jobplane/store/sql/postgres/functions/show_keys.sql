-- show_keys: API keys by their ids, without the digests; the tenant of a platform key is null
-- for: engine
create or replace function jobplane.show_keys(p_key_ids text[])
returns table (key_id text, tenant_id uuid, role text, name text, owner_user_id text, created_at timestamptz, created_by jsonb, expires_at timestamptz,
               revoked_at timestamptz, last_used_at timestamptz, replaced_by text)
language sql stable as $$
  select k.key_id, nullif(k.tenant_id, '00000000-0000-7000-8000-000000000002'), k.role, k.name, k.owner_user_id, k.created_at, k.created_by, k.expires_at,
         k.revoked_at, k.last_used_at, k.replaced_by
    from jobplane.api_keys k where k.key_id = any (p_key_ids) order by k.key_id
$$;
