-- slugs_of: the slugs of up to a hundred tenants, for an operator; a tenant (p_tenant) is told of none
create or replace function jobplane.slugs_of(p_tenant uuid, p_ids uuid[]) returns text[] language sql stable as $$
  select array(select t.slug from unnest(p_ids[1:100]) i(id), lateral (select t.slug from jobplane.tenants t where p_tenant is null and t.tenant_id = i.id offset 0) t order by 1)
$$;
