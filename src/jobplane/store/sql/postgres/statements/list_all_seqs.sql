-- list_all_seqs: the newest jobs of all tenants. First the head of each list: the newest job of each tenant in each table asked for. The lists with the newest heads, v_page or 2,500 of
-- them, say what is newest: the others have nothing above the last of these heads. Of each list up to `each` jobs. Below the last one that a list was asked for nothing is known: there the look stops
-- params: v_begin text[], v_ended text[], v_before bigint, v_scan int, v_page int, v_narrow boolean, p_worker_id text, p_correlation_id text, v_owner jsonb, v_project jsonb, p_trigger_id uuid
-- into: v_seqs, v_rest.cursor
with heads as materialized (
  select t.tenant_id, 'ready' as list, r.seq from jobplane.tenants t,
         lateral (select r.seq from jobplane.ready r where r.tenant_id = t.tenant_id and r.seq < v_before order by r.tenant_id desc, r.seq desc limit 1) r where 'queued' = any (v_begin) union all
  select t.tenant_id, 'held', h.seq from jobplane.tenants t,
         lateral (select h.seq from jobplane.held h where h.tenant_id = t.tenant_id and h.seq < v_before order by h.tenant_id desc, h.seq desc limit 1) h where 'queued' = any (v_begin) union all
  select t.tenant_id, 'upcoming', u.seq from jobplane.tenants t,
         lateral (select u.seq from jobplane.upcoming u where u.tenant_id = t.tenant_id and u.seq < v_before order by u.tenant_id desc, u.seq desc limit 1) u where 'queued' = any (v_begin) union all
  select null, 'leases', l.seq from (select l.seq from jobplane.leases l where 'running' = any (v_begin) and l.seq < v_before and (p_worker_id is null or l.worker_id = p_worker_id)
                                      order by l.seq desc limit 1) l union all
  select t.tenant_id, s.status, e.seq from jobplane.tenants t, unnest(v_ended) s(status),
         lateral (select e.seq from jobplane.endings e where e.tenant_id = t.tenant_id and e.status = s.status and e.seq < v_before
                   order by e.tenant_id desc, e.status desc, e.seq desc limit 1) e union all
  select t.tenant_id, 'correlated', j.seq from jobplane.tenants t,
         lateral (select max(j.seq + 0) as seq from jobplane.jobs j where j.tenant_id = t.tenant_id and j.correlation_id = p_correlation_id and j.seq + 0 < v_before) j
   where p_correlation_id is not null and j.seq is not null union all
  select t.tenant_id, 'triggered', j.seq from jobplane.tenants t,
         lateral (select j.seq from jobplane.jobs j where j.tenant_id = t.tenant_id and j.trigger_id = p_trigger_id and j.seq < v_before
                   order by j.tenant_id desc, j.trigger_id desc, j.seq desc limit 1) j where p_correlation_id is null and p_trigger_id is not null union all
  select t.tenant_id, 'owned', j.seq from jobplane.tenants t,
         lateral (select j.seq from jobplane.jobs j where j.tenant_id = t.tenant_id and j.metadata -> 'owner_user_id' = v_owner and j.seq < v_before
                   order by j.tenant_id desc, j.metadata -> 'owner_user_id' desc, j.seq desc limit 1) j where p_correlation_id is null and v_owner is not null union all
  select t.tenant_id, 'projected', j.seq from jobplane.tenants t,
         lateral (select j.seq from jobplane.jobs j where j.tenant_id = t.tenant_id and j.metadata -> 'project_id' = v_project and j.seq < v_before
                   order by j.tenant_id desc, j.metadata -> 'project_id' desc, j.seq desc limit 1) j where p_correlation_id is null and v_project is not null),
bounds as materialized (
  select (select h.seq from heads h order by h.seq desc offset case when v_narrow then 2500 else v_page end - 1 limit 1) as least,
         case when v_narrow then greatest(v_page, v_scan / greatest((select count(*) from heads), 1)) else v_page end::int as each),
lists as materialized (
  select array(
      (select r.seq from jobplane.ready r where h.list = 'ready' and r.tenant_id = h.tenant_id and r.seq < v_before order by r.tenant_id desc, r.seq desc limit b.each) union all
      (select x.seq from jobplane.held x where h.list = 'held' and x.tenant_id = h.tenant_id and x.seq < v_before order by x.tenant_id desc, x.seq desc limit b.each) union all
      (select u.seq from jobplane.upcoming u where h.list = 'upcoming' and u.tenant_id = h.tenant_id and u.seq < v_before order by u.tenant_id desc, u.seq desc limit b.each) union all
      (select l.seq from jobplane.leases l where h.list = 'leases' and l.seq < v_before and (p_worker_id is null or l.worker_id = p_worker_id) order by l.seq desc limit b.each) union all
      (select e.seq from jobplane.endings e where h.list = any (v_ended) and e.tenant_id = h.tenant_id and e.status = h.list and e.seq < v_before
        order by e.tenant_id desc, e.status desc, e.seq desc limit b.each) union all
      (select j.seq from jobplane.jobs j where h.list = 'correlated' and j.tenant_id = h.tenant_id and j.correlation_id = p_correlation_id and j.seq + 0 < v_before
        order by j.seq + 0 desc limit b.each) union all
      (select j.seq from jobplane.jobs j where h.list = 'triggered' and j.tenant_id = h.tenant_id and j.trigger_id = p_trigger_id and j.seq < v_before
        order by j.tenant_id desc, j.trigger_id desc, j.seq desc limit b.each) union all
      (select j.seq from jobplane.jobs j where h.list = 'owned' and j.tenant_id = h.tenant_id and j.metadata -> 'owner_user_id' = v_owner and j.seq < v_before
        order by j.tenant_id desc, j.metadata -> 'owner_user_id' desc, j.seq desc limit b.each) union all
      (select j.seq from jobplane.jobs j where h.list = 'projected' and j.tenant_id = h.tenant_id and j.metadata -> 'project_id' = v_project and j.seq < v_before
        order by j.tenant_id desc, j.metadata -> 'project_id' desc, j.seq desc limit b.each)) as seqs, b.each, b.least
    from bounds b, heads h where b.least is null or h.seq >= b.least),
known as (
  select array(select u.seq from lists l, unnest(l.seqs) u(seq) where m.seq is null or u.seq >= m.seq order by u.seq desc limit v_scan) as seqs, m.seq
    from (select greatest(max(l.seqs[l.each]), max(l.least)) as seq from lists l) m)
select k.seqs, case when cardinality(k.seqs) = 10000 then k.seqs[10000] else k.seq end into v_seqs, v_rest.cursor from known k;
