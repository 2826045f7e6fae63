-- reserve_reply: begin a request of the tenant that is set under its idempotency key, before anything is done for it
-- in:  operation, key of 1 to 255 characters, fingerprint of the request, count: how many jobs it makes, 0 to 1000
-- out: ids for its jobs, the same ones for a repeated request; is_new; status and body of the saved reply. Without a status the request is under way or was cut off: enqueue
--      with these ids, and no job is made twice. A key that was used with another fingerprint is refused
-- owner: doors
-- for: app, admin
create or replace function jobplane.reserve_reply(p_operation text, p_key text, p_fingerprint bytea, p_count int default 1)
returns table (job_ids uuid[], is_new boolean, status int, body text)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_tenant      constant uuid := jobplane.current_tenant();
  v_fingerprint bytea;
begin
  if p_count is null or p_count not between 0 and 1000 then
    raise exception 'The count must be between 0 and 1000, not %.', p_count using errcode = 'JP002';
  elsif not exists (select from jobplane.tenants t where t.tenant_id = v_tenant) then
    raise exception 'There is no tenant %.', v_tenant using errcode = 'JP011';
  end if;
  insert into jobplane.replies (tenant_id, operation, key, fingerprint, job_ids, created_at)
  values (v_tenant, p_operation, p_key, p_fingerprint, array(select jobplane.new_id() from generate_series(1, p_count)), jobplane.clock())
  on conflict do nothing returning replies.job_ids, true into job_ids, is_new;
  if not found then
    select r.job_ids, false, r.status, r.body, r.fingerprint into job_ids, is_new, status, body, v_fingerprint
      from jobplane.replies r where r.tenant_id = v_tenant and r.operation = p_operation and r.key = p_key;
    if not found then
      raise exception 'The reply under the key "%" has just been removed. Try again.', p_key using errcode = '40001';
    elsif v_fingerprint <> p_fingerprint then
      raise exception 'The idempotency key "%" was used for another request. Use a new key for a new request.', p_key using errcode = 'JP007';
    end if;
  end if;
  return next;
exception when check_violation or not_null_violation then
  raise exception 'A reply needs an operation of 1 to 100 characters, a key of 1 to 255 and a fingerprint of 1 to 64 bytes.' using errcode = 'JP002';
end $$;
