-- create_session: sign a browser in, with an API key or with a link, which works once
-- in:  the SHA-256 of the session's token; seconds until it ends, and until it ends unused, 60 to 31536000; key_id and the SHA-256 of the key's secret, or else
--      the SHA-256 of a link; the SHA-256 of the token of a session that this one replaces
-- out: the session and what its principal may do; no row where key or link is wrong, used, revoked or has expired. The same call again answers the same. A principal
--      has 100 sessions at most: the oldest one ends
-- owner: engine
-- for: admin
create or replace function jobplane.create_session(p_digest bytea, p_seconds int, p_idle_seconds int, p_key_id text default null, p_key_digest bytea default null,
                                                   p_link bytea default null, p_replaces bytea default null)
returns table (principal_type text, principal_id text, name text, role text, tenant_id uuid, tenant_slug text, owner_user_id text, created_at timestamptz, expires_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_now   constant timestamptz := jobplane.clock();
  v_type  text;
  v_id    text;
  v_until timestamptz;
begin
  if (p_seconds between 60 and 31536000 and p_idle_seconds between 60 and 31536000 and octet_length(p_digest) = 32) is not true then
    raise exception 'A session needs a digest of 32 bytes, and ends after 60 to 31536000 seconds.' using errcode = 'JP002';
  end if;
  if not exists (select from jobplane.sessions s where s.digest = p_digest) then
    if p_link is null then
      select 'key', a.key_id into v_type, v_id from jobplane.authenticate(p_key_id, p_key_digest) a;
    else
      delete from jobplane.session_links l where l.digest = p_link and l.expires_at > v_now returning l.principal_type, l.principal_id, l.session_until into v_type, v_id, v_until;
    end if;
    if v_id is null then return; end if;
    v_until := least(v_now + make_interval(secs => p_seconds), v_until);
    insert into jobplane.sessions (digest, principal_type, principal_id, created_at, expires_at, idle_until)
    values (p_digest, v_type, v_id, v_now, v_until, least(v_until, v_now + make_interval(secs => p_idle_seconds)));
    delete from jobplane.sessions s where s.digest = p_replaces and s.digest <> p_digest;
    delete from jobplane.sessions s where s.digest = any (array(
      select x.digest from jobplane.sessions x where x.principal_type = v_type and x.principal_id = v_id and x.digest <> p_digest
       order by x.created_at desc offset 99));
  end if;
  select * into principal_type, principal_id, name, role, tenant_id, tenant_slug, owner_user_id, created_at, expires_at from jobplane.show_session(p_digest);
  if not found then return; end if;
  return next;
  if v_id is null then return; end if;
  perform set_config('jobplane.actor', (coalesce(nullif(current_setting('jobplane.actor', true), '')::jsonb, '{}')
                     || jsonb_build_object('type', 'session', 'id', principal_id, 'name', name))::text, true);
  perform jobplane.audit('createSession', tenant_id, array[principal_id],
                         p_facts => jsonb_build_object('by', case when p_link is null then 'key' else 'link' end, 'expires_at', expires_at));
end $$;
