-- list_tenants: tenants in the order of their slugs, all or those named by id or slug

-- statement: page
select tenant_id, slug, name, weight, max_in_flight, max_pending, paused_at, created_at, updated_at from jobplane_tenants where slug > cast(? as text) order by slug limit ?

-- statement: one
select tenant_id, slug, name, weight, max_in_flight, max_pending, paused_at, created_at, updated_at from jobplane_tenants where tenant_id = ? or slug = ?
