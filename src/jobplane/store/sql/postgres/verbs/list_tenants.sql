-- list_tenants: tenants in the order of their slugs, all or those named by id or slug
-- owner: engine
-- for: admin
create or replace function jobplane.list_tenants(p_tenant_ids uuid[] default null, p_slugs text[] default null, p_limit int default 100, p_after text default '')
returns setof jobplane.tenants
language sql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
  select * from jobplane.tenants t
   where t.slug > p_after and (p_tenant_ids is null or t.tenant_id = any (p_tenant_ids)) and (p_slugs is null or t.slug = any (p_slugs))
   order by t.slug limit least(greatest(p_limit, 1), 1000)
$$;
