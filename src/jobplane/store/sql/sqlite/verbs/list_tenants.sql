-- list_tenants: tenants in the order of their slugs, all or those named by id or slug

-- statement: page
select tenant_id, slug, name, timezone, weight, max_in_flight, max_pending, paused_at, paused_by, paused_reason, created_at, updated_at from jobplane_tenants where slug > cast(? as text) order by slug limit ?

-- statement: one
select tenant_id, slug, name, timezone, weight, max_in_flight, max_pending, paused_at, paused_by, paused_reason, created_at, updated_at from jobplane_tenants where tenant_id = ? or slug = ?
