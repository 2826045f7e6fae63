-- tenant_clock: the time of the database, and the time zone and names of the tenant that is set

-- statement: find
select timezone, slug, name from jobplane_tenants where tenant_id = ?
