-- tenant_slugs: the slugs of tenants, for those of the ids that are there

-- statement: slugs
select t.tenant_id, t.slug from json_each(?) i cross join jobplane_tenants t on t.tenant_id = i.value
