-- pending_room: how many more jobs may wait or run for a tenant. All states in one statement: one snapshot, in which each job stands in one table.
-- `tag is not null` and `attempt_no > 0` hold for every row, and name the partial indexes.
create or replace function jobplane.pending_room(p_tenant uuid, p_max_pending int) returns int language sql volatile as $$
  select p_max_pending - (
    select count(*) from (
      select from jobplane.ready where tenant_id = p_tenant and tag is not null union all select from jobplane.held where tenant_id = p_tenant union all
      select from jobplane.upcoming where tenant_id = p_tenant union all select from jobplane.leases where tenant_id = p_tenant and attempt_no > 0
      limit p_max_pending) waiting)::int
$$;
