-- count_all_states: how many jobs of all tenants are in the statuses asked for. The count ends one beyond the cap
-- params: v_statuses text[], v_cap int, p_worker_id text
-- into: v_count
select count(*) into v_count from (
  select from (
    select 1 from jobplane.leases l where 'running' = any (v_statuses) and l.seq > 0 and (p_worker_id is null or l.worker_id = p_worker_id) union all
    select 1 from jobplane.tenants t, lateral (select from jobplane.ready r where r.tenant_id = t.tenant_id offset 0) r where 'queued' = any (v_statuses) union all
    select 1 from jobplane.tenants t, lateral (select from jobplane.held h where h.tenant_id = t.tenant_id offset 0) h where 'queued' = any (v_statuses) union all
    select 1 from jobplane.tenants t, lateral (select from jobplane.upcoming u where u.tenant_id = t.tenant_id offset 0) u where 'queued' = any (v_statuses) union all
    select 1 from jobplane.tenants t, (select distinct s.status from unnest(v_statuses) s(status)) s, lateral (select from jobplane.endings e where e.tenant_id = t.tenant_id and e.status = s.status offset 0) e
     where s.status not in ('queued', 'running')) x
   limit v_cap + 1) y;
