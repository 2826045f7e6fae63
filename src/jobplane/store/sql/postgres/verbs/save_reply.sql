-- save_reply: keep the reply to a request of the tenant that is set; the first one stays. tidy removes it after a day
-- in:  operation and key of the request, HTTP status, body
-- out: false where the request was never begun, or its reply has been removed
-- owner: doors
-- for: app, admin
create or replace function jobplane.save_reply(p_operation text, p_key text, p_status int, p_body text) returns boolean
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  v_tenant constant uuid := jobplane.current_tenant();
begin
  if p_status is null or p_status not between 100 and 599 then
    raise exception 'The status must be between 100 and 599, not %.', p_status using errcode = 'JP002';
  end if;
  update jobplane.replies r set status = coalesce(r.status, p_status), body = case when r.status is null then p_body else r.body end
   where r.tenant_id = v_tenant and r.operation = p_operation and r.key = p_key;
  return found;
end $$;
