-- count_states: how many jobs of a tenant are in the statuses asked for. The count ends one beyond the cap
-- params: v_tenant uuid, v_statuses text[], v_cap int, p_worker_id text
-- into: v_count
select count(*) into v_count from (
  select from (
    select 1 from jobplane.ready r where 'queued' = any (v_statuses) and r.tenant_id = v_tenant union all
    select 1 from jobplane.held h where 'queued' = any (v_statuses) and h.tenant_id = v_tenant union all
    select 1 from jobplane.upcoming u where 'queued' = any (v_statuses) and u.tenant_id = v_tenant union all
    select 1 from jobplane.leases l where 'running' = any (v_statuses) and l.tenant_id = v_tenant and l.attempt_no > 0 and (p_worker_id is null or l.worker_id = p_worker_id) union all
    select 1 from (select distinct s.status from unnest(v_statuses) s(status)) s, lateral (select from jobplane.endings e where e.tenant_id = v_tenant and e.status = s.status offset 0) e) x
   limit v_cap + 1) y;
