-- find_principal: what a principal may do, while it may do something: a key that was not revoked and has not expired, or a login that may operate
-- for: engine
create or replace function jobplane.find_principal(p_type text, p_id text)
returns table (name text, role text, tenant_id uuid, tenant_slug text, owner_user_id text, expires_at timestamptz)
language sql stable as $$
  select k.name, k.role, nullif(k.tenant_id, '00000000-0000-7000-8000-000000000002'), case when k.tenant_id <> '00000000-0000-7000-8000-000000000002' then t.slug end,
         k.owner_user_id, k.expires_at
    from jobplane.api_keys k, lateral (select t.slug from jobplane.tenants t where t.tenant_id = k.tenant_id offset 0) t
   where p_type = 'key' and k.key_id = p_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > jobplane.clock())
  union all
  select '', 'super_admin', null, null, null, null from pg_catalog.pg_roles r
   where p_type = 'login' and r.rolname = p_id and pg_catalog.pg_has_role(r.oid, 'jobplane_admin', 'member')
$$;
