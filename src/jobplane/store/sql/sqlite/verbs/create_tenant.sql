-- create_tenant: a new owner of jobs, known by a uuid and a slug

-- statement: taken
select 1 from jobplane_tenants where slug = ? or tenant_id = ?

-- statement: insert
insert into jobplane_tenants (tenant_id, slug, name, weight, max_in_flight, max_pending, timezone, created_at, updated_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?)
