-- find_session: whom a session stands for. The token is compared here, by its digest: no login reads one
-- in:  the SHA-256 of the token; seconds until the session ends unused
-- out: one row, or none where it has ended, its key was revoked or has expired, or its login may no longer operate. Notes the use of the session, once a minute at
--      most, and waits for no lock

-- statement: find
select s.principal_type, s.principal_id, coalesce(k.name, ''), coalesce(k.role, 'super_admin'), nullif(t.tenant_id, '00000000-0000-7000-8000-000000000002'),
       case when t.slug <> 'system' then t.slug end, k.owner_user_id, s.created_at, min(s.expires_at, coalesce(k.expires_at, s.expires_at)), s.idle_until <= min(s.expires_at - 1, ?)
  from jobplane_sessions s left join jobplane_api_keys k on s.principal_type = 'key' and k.key_id = s.principal_id left join jobplane_tenants t on t.tenant_no = k.tenant_no
 where s.digest = ? and s.idle_until > ?
   and (s.principal_type = 'login' or k.key_id is not null and k.revoked_at is null and (k.expires_at is null or k.expires_at > ?))

-- statement: use
update jobplane_sessions set idle_until = min(expires_at, ?) where digest = ?
