-- create_tenant: a new owner of jobs, known by a uuid and a slug
-- owner: engine
-- for: admin
create or replace function jobplane.create_tenant(p_slug text, p_name text default '', p_weight int default 1, p_max_in_flight int default null,
                                                  p_max_pending int default null, p_tenant_id uuid default null, p_timezone text default 'UTC') returns jobplane.tenants
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
declare
  v_tenant jobplane.tenants;
begin
  insert into jobplane.tenants (tenant_id, slug, name, weight, max_in_flight, max_pending, timezone)
  values (coalesce(p_tenant_id, jobplane.new_id()), p_slug, coalesce(p_name, ''), coalesce(p_weight, 1), p_max_in_flight, p_max_pending, coalesce(p_timezone, 'UTC')) returning * into v_tenant;
  perform jobplane.audit('createTenant', v_tenant.tenant_id, array[v_tenant.tenant_id::text], p_after => to_jsonb(v_tenant), p_facts => jsonb_build_object('slug', p_slug));
  return v_tenant;
exception
  when unique_violation then
    raise exception 'There is a tenant with this slug or id already. Choose another.' using errcode = 'JP016';
  when check_violation or not_null_violation then
    raise exception 'A tenant needs a slug of a-z, 0-9 and -, up to 63 characters, a weight of 1 to 1000, limits that are not negative, and a timezone of 1 to 64 characters.' using errcode = 'JP002';
end $$;
