-- roles: who owns what and who may log in. Roles belong to the cluster, so a person makes them once, before the first migration:
-- a superuser, or a role with CREATEROLE (which from PostgreSQL 16 on also administers what it made). Running it again changes nothing.
--
--   jobplane_owner         owns the schema; migrations run as it. It inherits nothing, so that no policy of the roles below applies to it.
--   jobplane_doors         owns the tenants' functions and is itself subject to the tenant policy
--   jobplane_engine        owns the functions that serve all tenants
--   jobplane_hot           owns the hot tables where PostgreSQL has no MAINTAIN privilege (15 and 16), so that maintenance may vacuum them
--   jobplane_app, _worker, _scheduler, _admin, _maintenance    log in; EXECUTE and no table writes

do $$
declare
  v_role text;
begin
  foreach v_role in array array['owner login noinherit', 'doors nologin', 'engine nologin', 'hot nologin', 'app login', 'worker login',
                                'scheduler login', 'admin login', 'maintenance login'] loop
    if not exists (select from pg_catalog.pg_roles where rolname = 'jobplane_' || split_part(v_role, ' ', 1)) then
      execute 'create role jobplane_' || v_role;
    end if;
  end loop;
end $$;

grant jobplane_doors, jobplane_engine, jobplane_hot to jobplane_owner;

do $$
begin
  if pg_catalog.current_setting('server_version_num')::int < 170000 then
    grant jobplane_hot to jobplane_maintenance;
  end if;
end $$;
