-- set_tenant: change slug, name, timezone, weight, max_in_flight or max_pending; null takes a limit away. From its commit on no claim exceeds the limit.
-- The slugs default and system cannot change.

-- statement: update
update jobplane_tenants set slug = ?, name = ?, timezone = ?, weight = ?, max_in_flight = ?, max_pending = ?, updated_at = ? where tenant_id = ?

-- statement: taken
select 1 from jobplane_tenants where slug = ? and tenant_id <> ?

-- statement: leases
select l.seq, l.limit_keys, 't/' || l.tenant_no from jobplane_leases l where l.tenant_no = (select t.tenant_no from jobplane_tenants t where t.tenant_id = ?)

-- statement: schedules
update jobplane_triggers set zone_version = '', due_at = ?
 where tenant_no = (select n.tenant_no from jobplane_tenants n where n.tenant_id = ?) and is_enabled and trigger_type = 'schedule' and timezone is null
