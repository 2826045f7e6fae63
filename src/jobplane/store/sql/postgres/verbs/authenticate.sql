-- authenticate: whom an API key stands for. The secret is compared here: no login reads a digest
-- in:  key_id, the SHA-256 of the secret
-- out: one row, or none for an unknown id, a wrong secret, a key that was revoked or has expired. The tenant of a platform key is null. Notes the use of the key, once
--      a minute at most, and waits for no lock
-- owner: engine
-- for: admin
create or replace function jobplane.authenticate(p_key_id text, p_digest bytea)
returns table (key_id text, tenant_id uuid, tenant_slug text, role text, name text, owner_user_id text, expires_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_now  constant timestamptz := jobplane.clock();
  v_used timestamptz;
begin
  select k.key_id, nullif(k.tenant_id, '00000000-0000-7000-8000-000000000002'), case when k.tenant_id <> '00000000-0000-7000-8000-000000000002' then t.slug end,
         k.role, k.name, k.owner_user_id, k.expires_at, k.last_used_at
    into key_id, tenant_id, tenant_slug, role, name, owner_user_id, expires_at, v_used
    from jobplane.api_keys k, lateral (select t.slug from jobplane.tenants t where t.tenant_id = k.tenant_id offset 0) t
   where k.key_id = p_key_id and k.secret_digest = p_digest and k.revoked_at is null and (k.expires_at is null or k.expires_at > v_now);
  if not found then return; end if;
  if v_used is null or v_used <= v_now - interval '1 minute' then
    update jobplane.api_keys a set last_used_at = v_now where a.ctid = (select k.ctid from jobplane.api_keys k where k.key_id = p_key_id for no key update skip locked);
  end if;
  return next;
end $$;
