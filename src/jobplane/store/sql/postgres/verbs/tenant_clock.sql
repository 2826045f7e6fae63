-- tenant_clock: the time of the database, and the time zone and names of the tenant that is set
-- owner: doors
-- for: app, admin
create or replace function jobplane.tenant_clock() returns table (now timestamptz, timezone text, slug text, name text)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
#variable_conflict use_column
begin
  return query select jobplane.clock(), t.timezone, t.slug, t.name from jobplane.tenants t where t.tenant_id = jobplane.current_tenant();
  if not found then
    raise exception 'There is no such tenant.' using errcode = 'JP011';
  end if;
end $$;
