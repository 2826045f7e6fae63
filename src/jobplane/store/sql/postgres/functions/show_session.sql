-- show_session: a session that has not ended, with what its principal may do
-- for: engine
create or replace function jobplane.show_session(p_digest bytea)
returns table (principal_type text, principal_id text, name text, role text, tenant_id uuid, tenant_slug text, owner_user_id text, created_at timestamptz, expires_at timestamptz)
language sql stable as $$
  select s.principal_type, s.principal_id, p.name, p.role, p.tenant_id, p.tenant_slug, p.owner_user_id, s.created_at, least(s.expires_at, p.expires_at)
    from jobplane.sessions s, lateral jobplane.find_principal(s.principal_type, s.principal_id) p
   where s.digest = p_digest and s.idle_until > jobplane.clock()
$$;
