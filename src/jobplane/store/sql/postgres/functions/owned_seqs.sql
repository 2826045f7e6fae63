-- owned_seqs: the newest jobs of the tenant that is set whose metadata has this owner_user_id, or this project_id. By the engine: under the tenants' policy no
-- index may serve what is inside a document, so the tenant stands in each statement.
-- owner: engine
create or replace function jobplane.owned_seqs(p_owner jsonb, p_project jsonb, p_before bigint, p_limit int) returns bigint[]
language plpgsql stable security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_tenant constant uuid := jobplane.current_tenant();
begin
  if p_owner is not null then
    return array(select j.seq from jobplane.jobs j
                  where j.tenant_id = v_tenant and j.metadata -> 'owner_user_id' = p_owner and j.seq < p_before
                  order by j.tenant_id desc, j.metadata -> 'owner_user_id' desc, j.seq desc limit p_limit);
  end if;
  return array(select j.seq from jobplane.jobs j
                where j.tenant_id = v_tenant and j.metadata -> 'project_id' = p_project and j.seq < p_before
                order by j.tenant_id desc, j.metadata -> 'project_id' desc, j.seq desc limit p_limit);
end $$;
