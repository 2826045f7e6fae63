-- tenant_slugs: the slugs of tenants, for those of the ids that are there
-- owner: engine
-- for: admin, worker, scheduler
create or replace function jobplane.tenant_slugs(p_tenant_ids uuid[])
returns table (tenant_id uuid, slug text)
language sql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
  select t.tenant_id, t.slug from (select distinct i.id from unnest(p_tenant_ids) i(id)) i, lateral (select t.tenant_id, t.slug from jobplane.tenants t where t.tenant_id = i.id offset 0) t
$$;
