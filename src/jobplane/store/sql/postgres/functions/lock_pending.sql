-- lock_pending: lock the row of a tenant with a pending limit until commit: its enqueues and retries take turns, and the limit is exact. Comes before any key,
-- so that nobody waits here with a key that another needs. A row and not an advisory lock: at REPEATABLE READ a turn that the snapshot does not see raises 40001.
create or replace function jobplane.lock_pending(p_tenant uuid) returns void language plpgsql volatile as $$
declare
  v_timeout constant text := current_setting('lock_timeout');
begin
  if v_timeout = '0' then perform set_config('lock_timeout', '2s', true); end if;
  insert into jobplane.pending (tenant_id, turns) values (p_tenant, 1) on conflict (tenant_id) do update set turns = pending.turns + 1;
  perform set_config('lock_timeout', v_timeout, true);
exception when lock_not_available then
  raise exception 'Another transaction of this tenant is enqueuing jobs. Try again.' using errcode = 'JP015';
end $$;
