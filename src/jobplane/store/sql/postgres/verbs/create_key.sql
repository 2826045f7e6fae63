-- create_key: keep a new API key, of which the caller alone has the secret
-- in:  key_id, 12 characters of 0-9 and a-z; the SHA-256 of the secret; role; tenant, null for the platform roles super_admin and worker; owner_user_id narrows
--      the key to the jobs of one user of the application
-- out: the key without its digest
-- owner: engine
-- for: admin
create or replace function jobplane.create_key(p_key_id text, p_digest bytea, p_role text, p_tenant_id uuid default null, p_name text default '',
                                               p_owner_user_id text default null, p_expires_at timestamptz default null)
returns table (key_id text, tenant_id uuid, role text, name text, owner_user_id text, created_at timestamptz, created_by jsonb, expires_at timestamptz,
               revoked_at timestamptz, last_used_at timestamptz, replaced_by text)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
#variable_conflict use_column
declare
  v_now    constant timestamptz := jobplane.clock();
  v_tenant constant uuid := coalesce(p_tenant_id, '00000000-0000-7000-8000-000000000002');
begin
  if (p_tenant_id is null) is distinct from (p_role in ('super_admin', 'worker')) then
    raise exception 'A key with the role % must belong to %. Name another role or another tenant.', p_role, case when p_tenant_id is null then 'a tenant' else 'no tenant' end
      using errcode = 'JP002';
  elsif not exists (select from jobplane.tenants t where t.tenant_id = v_tenant) then
    raise exception 'There is no tenant %.', p_tenant_id using errcode = 'JP011';
  elsif p_expires_at <= v_now then
    raise exception 'The expires_at must be in the future, not %.', p_expires_at using errcode = 'JP002';
  end if;
  insert into jobplane.api_keys (key_id, tenant_id, role, name, owner_user_id, secret_digest, created_at, created_by, expires_at)
  values (p_key_id, v_tenant, p_role, coalesce(p_name, ''), p_owner_user_id, p_digest, v_now, jobplane.current_actor(), p_expires_at);
  perform jobplane.audit('createKey', p_tenant_id, array[p_key_id],
                         p_facts => jsonb_build_object('role', p_role, 'name', p_name, 'owner_user_id', p_owner_user_id, 'expires_at', p_expires_at));
  return query select * from jobplane.show_keys(array[p_key_id]);
exception
  when unique_violation then
    raise exception 'There is a key % already. Choose another key_id.', p_key_id using errcode = 'JP016';
  when check_violation or not_null_violation then
    raise exception 'A key needs a key_id of 12 characters of 0-9 and a-z, a digest of 32 bytes, a role, a name of up to 200 characters, and an owner_user_id of 1 to 500 or none.'
      using errcode = 'JP002';
end $$;
