-- rotate_key: make a new API key with the tenant, role, name, owner and expiry of an old one, which works on for the overlap and names its successor
-- in:  the old id; id and SHA-256 of the secret of the new key; overlap in seconds, 0 to 2592000; tenant and owner_user_id of the old key, null: any
-- out: the new key without its digest. A key that was revoked or rotated or has expired is not found; the same call again answers the same
-- owner: engine
-- for: admin
create or replace function jobplane.rotate_key(p_key_id text, p_new_key_id text, p_digest bytea, p_overlap_seconds int default 86400, p_tenant_id uuid default null,
                                               p_owner_user_id text default null)
returns table (key_id text, tenant_id uuid, role text, name text, owner_user_id text, created_at timestamptz, created_by jsonb, expires_at timestamptz,
               revoked_at timestamptz, last_used_at timestamptz, replaced_by text)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
#variable_conflict use_column
declare
  v_now constant timestamptz := jobplane.clock();
  v_old jobplane.api_keys;
begin
  if p_overlap_seconds is null or p_overlap_seconds not between 0 and 2592000 then
    raise exception 'The overlap_seconds must be between 0 and 2592000, not %.', p_overlap_seconds using errcode = 'JP002';
  end if;
  select k.* into v_old from jobplane.api_keys k
   where k.key_id = p_key_id and (p_tenant_id is null or k.tenant_id = p_tenant_id) and (p_owner_user_id is null or k.owner_user_id = p_owner_user_id) for update;
  if v_old.replaced_by = p_new_key_id and exists (select from jobplane.api_keys k where k.key_id = p_new_key_id and k.secret_digest = p_digest) then
    return query select * from jobplane.show_keys(array[p_new_key_id]);
    return;
  elsif v_old.key_id is null or v_old.revoked_at is not null or v_old.replaced_by is not null or v_old.expires_at <= v_now then
    raise exception 'There is no key % to rotate. A key that was revoked or rotated or has expired cannot be rotated: create a new one.', p_key_id using errcode = 'JP020';
  end if;
  insert into jobplane.api_keys (key_id, tenant_id, role, name, owner_user_id, secret_digest, created_at, created_by, expires_at)
  values (p_new_key_id, v_old.tenant_id, v_old.role, v_old.name, v_old.owner_user_id, p_digest, v_now, jobplane.current_actor(), v_old.expires_at);
  update jobplane.api_keys k set replaced_by = p_new_key_id, expires_at = least(k.expires_at, v_now + make_interval(secs => p_overlap_seconds)) where k.key_id = p_key_id;
  perform jobplane.audit('rotateKey', v_old.tenant_id, array[p_key_id], p_facts => jsonb_build_object('replaced_by', p_new_key_id, 'overlap_seconds', p_overlap_seconds));
  return query select * from jobplane.show_keys(array[p_new_key_id]);
exception
  when unique_violation then
    raise exception 'There is a key % already. Choose another key_id.', p_new_key_id using errcode = 'JP016';
  when check_violation or not_null_violation then
    raise exception 'A key needs a key_id of 12 characters of 0-9 and a-z, and a digest of 32 bytes.' using errcode = 'JP002';
end $$;
