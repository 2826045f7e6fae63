-- tenant_id_of: the uuid behind a slug, for clients that know their tenant by name; null where there is none
-- owner: engine
-- for: app, worker, scheduler, admin
create or replace function jobplane.tenant_id_of(p_slug text) returns uuid
language sql stable security definer set search_path = pg_catalog, jobplane, pg_temp as $$ select t.tenant_id from jobplane.tenants t where t.slug = p_slug $$;
