-- list_seqs: the newest jobs of a tenant in the statuses asked for, from each table that holds one. What runs is few: all of the tenant's, and then sorted
-- params: v_tenant uuid, v_statuses text[], v_before bigint, v_scan int, p_worker_id text
-- into: v_seqs
select array_agg(s.seq order by s.seq desc) into v_seqs from (
  select x.seq from (
    (select r.seq from jobplane.ready r where 'queued' = any (v_statuses) and r.tenant_id = v_tenant and r.seq < v_before order by r.tenant_id desc, r.seq desc limit v_scan) union all
    (select h.seq from jobplane.held h where 'queued' = any (v_statuses) and h.tenant_id = v_tenant and h.seq < v_before order by h.tenant_id desc, h.seq desc limit v_scan) union all
    (select u.seq from jobplane.upcoming u where 'queued' = any (v_statuses) and u.tenant_id = v_tenant and u.seq < v_before order by u.tenant_id desc, u.seq desc limit v_scan) union all
    (select l.seq from (select l.seq + 0 as seq, l.worker_id from jobplane.leases l where 'running' = any (v_statuses) and l.tenant_id = v_tenant and l.attempt_no > 0 offset 0) l
      where l.seq < v_before and (p_worker_id is null or l.worker_id = p_worker_id) order by l.seq desc limit v_scan) union all
    (select e.seq from jobplane.endings e where 'succeeded' = any (v_statuses) and e.tenant_id = v_tenant and e.status = 'succeeded' and e.seq < v_before
      order by e.tenant_id desc, e.status desc, e.seq desc limit v_scan) union all
    (select e.seq from jobplane.endings e where 'failed' = any (v_statuses) and e.tenant_id = v_tenant and e.status = 'failed' and e.seq < v_before
      order by e.tenant_id desc, e.status desc, e.seq desc limit v_scan) union all
    (select e.seq from jobplane.endings e where 'dead_letter' = any (v_statuses) and e.tenant_id = v_tenant and e.status = 'dead_letter' and e.seq < v_before
      order by e.tenant_id desc, e.status desc, e.seq desc limit v_scan) union all
    (select e.seq from jobplane.endings e where 'canceled' = any (v_statuses) and e.tenant_id = v_tenant and e.status = 'canceled' and e.seq < v_before
      order by e.tenant_id desc, e.status desc, e.seq desc limit v_scan)) x
   order by x.seq desc limit v_scan) s;
