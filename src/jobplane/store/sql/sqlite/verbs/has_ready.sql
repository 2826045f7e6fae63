-- has_ready: whether jobs are ready that a worker may run. One that another transaction has locked is among them; a claim passes over it
-- in:  worker id
-- out: yes or no. It looks at the first 1,000 jobs of each queue and priority. Ask after a claim, which opens new priorities and moves to held what a limit shuts out

-- statement: lanes
-- The priorities of each queue that have something ready, one look for each.
with recursive
served (queue_id) as (
  select q.queue_id from jobplane_workers w cross join json_each(w.queues) n cross join jobplane_queues q on q.name = n.value
   where w.worker_id = ? and q.paused_at is null),
lane (queue_id, priority) as (
  select s.queue_id, (select min(r.priority) from jobplane_ready r where r.queue_id = s.queue_id) from served s
  union all
  select l.queue_id, (select min(r.priority) from jobplane_ready r where r.queue_id = l.queue_id and r.priority > l.priority)
    from lane l where l.priority is not null)
select queue_id, priority from lane where priority is not null

-- statement: ready
select 1
  from (select * from jobplane_ready where queue_id = ? and priority = ? order by tag limit 1000) r
 cross join jobplane_tenants t on t.tenant_no = r.tenant_no
 cross join jobplane_definitions d on d.definition_id = r.definition_id
 cross join jobplane_workers w on w.worker_id = ?
 where t.paused_at is null and d.active and case when w.definitions is null then d.kind is not 'command' else d.key in (select value from json_each(w.definitions)) end
   and (r.expires_at is null or r.expires_at > ?)
 limit 1
