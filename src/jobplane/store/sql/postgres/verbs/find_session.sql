-- find_session: whom a session stands for. The token is compared here, by its digest: no login reads one
-- in:  the SHA-256 of the token; seconds until the session ends unused
-- out: one row, or none where it has ended, its key was revoked or has expired, or its login may no longer operate. Notes the use of the session, once a minute at
--      most, and waits for no lock
-- owner: engine
-- for: admin
create or replace function jobplane.find_session(p_digest bytea, p_idle_seconds int)
returns table (principal_type text, principal_id text, name text, role text, tenant_id uuid, tenant_slug text, owner_user_id text, created_at timestamptz, expires_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_until constant timestamptz := jobplane.clock() + make_interval(secs => p_idle_seconds);
begin
  return query select * from jobplane.show_session(p_digest);
  if not found then return; end if;
  update jobplane.sessions s set idle_until = least(s.expires_at, v_until) where s.ctid = (
    select x.ctid from jobplane.sessions x where x.digest = p_digest and x.idle_until <= v_until - interval '1 minute' and x.idle_until < x.expires_at for no key update skip locked);
end $$;
