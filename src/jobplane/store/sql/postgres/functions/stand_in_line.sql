-- stand_in_line: where a tenant has a pending limit, its enqueues and retries take turns until commit, and the limit is exact. p_n: how many are wanted.
-- out: how many there is room for. All states in one statement: one snapshot, in which each job stands in one table.
create or replace function jobplane.stand_in_line(p_tenant uuid, p_max_pending int, p_n int) returns int language plpgsql volatile as $$
declare
  v_timeout constant text := current_setting('lock_timeout');
begin
  if v_timeout = '0' then perform set_config('lock_timeout', '2s', true); end if;
  perform pg_advisory_xact_lock(hashtextextended('jobplane.pending/' || p_tenant, 0));
  perform set_config('lock_timeout', v_timeout, true);
  return least(p_n, p_max_pending - (
    select count(*) from (
      select from jobplane.ready where tenant_id = p_tenant union all select from jobplane.held where tenant_id = p_tenant union all
      select from jobplane.upcoming where tenant_id = p_tenant union all select from jobplane.leases where tenant_id = p_tenant
      limit p_max_pending) pending));
exception when lock_not_available then
  raise exception 'another transaction of this tenant is enqueuing; try again' using errcode = 'JP015';
end $$;
