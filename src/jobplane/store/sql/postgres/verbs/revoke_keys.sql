-- revoke_keys: end API keys for good; authenticate refuses them from the commit on
-- in:  ids; tenant and owner_user_id, null: those of all
-- out: the ids that are there; a key that was revoked before stays so
-- owner: engine
-- for: admin
create or replace function jobplane.revoke_keys(p_key_ids text[], p_tenant_id uuid default null, p_owner_user_id text default null) returns setof text
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
declare
  v_now  constant timestamptz := jobplane.clock();
  v_keys record;
begin
  for v_keys in
    with k as (
      select k.key_id, k.revoked_at from jobplane.api_keys k
       where k.key_id = any (p_key_ids) and (p_tenant_id is null or k.tenant_id = p_tenant_id) and (p_owner_user_id is null or k.owner_user_id = p_owner_user_id)
       order by k.key_id for update),
    u as (update jobplane.api_keys a set revoked_at = coalesce(k.revoked_at, v_now) from k where a.key_id = k.key_id returning a.tenant_id, a.key_id, k.revoked_at is null as is_new)
    select u.tenant_id, array_agg(u.key_id order by u.key_id) as ids, array_agg(u.key_id order by u.key_id) filter (where u.is_new) as ended from u group by u.tenant_id
  loop
    if v_keys.ended is not null then perform jobplane.audit('revokeKey', v_keys.tenant_id, v_keys.ended); end if;
    return query select unnest(v_keys.ids);
  end loop;
end $$;
