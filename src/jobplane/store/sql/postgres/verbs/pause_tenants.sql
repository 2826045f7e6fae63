-- pause_tenants: from its commit on no claim starts their jobs; what runs, runs on
-- in:  tenants; a reason of up to 1000 characters, kept with the caller's name. Another reason replaces that of a tenant that is paused already
-- out: tenant_id of each that is there
-- owner: engine
-- for: admin
create or replace function jobplane.pause_tenants(p_tenant_ids uuid[], p_reason text default null) returns setof uuid
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
declare
  v_by   constant text := jobplane.pausing(p_reason);
  v_done uuid[];
begin
  perform jobplane.lock_gates();
  with locked as (
    select t.tenant_id from jobplane.tenants t
     where t.tenant_id = any (p_tenant_ids) and (t.paused_at is null or t.paused_reason is distinct from coalesce(p_reason, t.paused_reason)) order by 1 for no key update),
  done as (
    update jobplane.tenants t
       set paused_at = coalesce(t.paused_at, jobplane.clock()), paused_by = v_by, paused_reason = coalesce(p_reason, t.paused_reason), updated_at = jobplane.clock()
      from locked l where t.tenant_id = l.tenant_id returning t.tenant_id)
  select array_agg(d.tenant_id) into v_done from done d;
  perform jobplane.audit('pauseTenant', case when cardinality(v_done) = 1 then v_done[1] end, v_done::text[],
                         p_facts => jsonb_strip_nulls(jsonb_build_object('reason', p_reason))) where v_done is not null;
  return query select t.tenant_id from jobplane.tenants t where t.tenant_id = any (p_tenant_ids);
end $$;
