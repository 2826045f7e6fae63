-- list_all_seqs: the newest jobs of all tenants: v_each of every tenant, merged. Where a tenant has more, nothing is known below its last one: there the look stops
-- params: v_begin text[], v_before bigint, v_each int, p_limit int, v_narrow boolean, p_worker_id text, p_correlation_id text, v_owner jsonb, v_project jsonb
-- into: v_seqs, v_rest.cursor
with each as materialized (
  select s.seqs from jobplane.tenants t, lateral (
    select array_agg(n.seq order by n.seq desc) as seqs from (
      select x.seq from (
        (select r.seq from jobplane.ready r where 'queued' = any (v_begin) and r.tenant_id = t.tenant_id and r.seq < v_before order by r.tenant_id desc, r.seq desc limit v_each) union all
        (select h.seq from jobplane.held h where 'queued' = any (v_begin) and h.tenant_id = t.tenant_id and h.seq < v_before order by h.tenant_id desc, h.seq desc limit v_each) union all
        (select u.seq from jobplane.upcoming u where 'queued' = any (v_begin) and u.tenant_id = t.tenant_id and u.seq < v_before order by u.tenant_id desc, u.seq desc limit v_each) union all
        (select l.seq from (select l.seq + 0 as seq, l.worker_id from jobplane.leases l where 'running' = any (v_begin) and l.tenant_id = t.tenant_id and l.attempt_no > 0 offset 0) l
          where l.seq < v_before and (p_worker_id is null or l.worker_id = p_worker_id) order by l.seq desc limit v_each) union all
        (select e.seq from jobplane.endings e where 'succeeded' = any (v_begin) and e.tenant_id = t.tenant_id and e.status = 'succeeded' and e.seq < v_before
          order by e.tenant_id desc, e.status desc, e.seq desc limit v_each) union all
        (select e.seq from jobplane.endings e where 'failed' = any (v_begin) and e.tenant_id = t.tenant_id and e.status = 'failed' and e.seq < v_before
          order by e.tenant_id desc, e.status desc, e.seq desc limit v_each) union all
        (select e.seq from jobplane.endings e where 'dead_letter' = any (v_begin) and e.tenant_id = t.tenant_id and e.status = 'dead_letter' and e.seq < v_before
          order by e.tenant_id desc, e.status desc, e.seq desc limit v_each) union all
        (select e.seq from jobplane.endings e where 'canceled' = any (v_begin) and e.tenant_id = t.tenant_id and e.status = 'canceled' and e.seq < v_before
          order by e.tenant_id desc, e.status desc, e.seq desc limit v_each) union all
        (select j.seq from jobplane.jobs j where p_correlation_id is not null and j.tenant_id = t.tenant_id and j.correlation_id = p_correlation_id and j.seq + 0 < v_before
          order by j.seq + 0 desc limit v_each) union all
        (select j.seq from jobplane.jobs j where p_correlation_id is null and v_owner is not null and j.tenant_id = t.tenant_id and j.metadata -> 'owner_user_id' = v_owner and j.seq < v_before
          order by j.tenant_id desc, j.metadata -> 'owner_user_id' desc, j.seq desc limit v_each) union all
        (select j.seq from jobplane.jobs j where p_correlation_id is null and v_project is not null and j.tenant_id = t.tenant_id and j.metadata -> 'project_id' = v_project and j.seq < v_before
          order by j.tenant_id desc, j.metadata -> 'project_id' desc, j.seq desc limit v_each)) x
       order by x.seq desc limit v_each) n) s
   where s.seqs is not null),
known as (
  select array(select u.seq from each e, unnest(e.seqs) u(seq) where m.seq is null or u.seq >= m.seq order by u.seq desc limit case when v_narrow then 10000 else p_limit end) as seqs, m.seq
    from (select max(e.seqs[v_each]) as seq from each e) m)
select k.seqs, case when cardinality(k.seqs) = 10000 then k.seqs[10000] else k.seq end into v_seqs, v_rest.cursor from known k;
