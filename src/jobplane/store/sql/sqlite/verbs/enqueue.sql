-- enqueue: what an enqueue has to know before it writes, and the short way for one job that has nothing but a definition and a payload
-- in:  a tenant's id; keys of definitions; names of queues
-- out: one row for each that is there

-- statement: look
select t.tenant_no, 1000000 / t.weight, d.definition_id, coalesce((select s.seq from sqlite_sequence s where s.name = 'jobplane_jobs'), 0) + 1,
       (select max(r.tag) from jobplane_ready r where r.tenant_no = t.tenant_no and r.queue_id = d.queue_id and r.priority = d.priority),
       coalesce((select c.v from jobplane_clocks c where c.queue_id = d.queue_id and c.priority = d.priority), 0)
  from jobplane_tenants t cross join jobplane_definitions d where t.tenant_id = ? and t.max_pending is null and d.key = ? and d.active

-- statement: tenant
select tenant_no, weight, max_pending from jobplane_tenants where tenant_id = ?

-- statement: definitions
select key, definition_id, queue_id, priority, timeout_seconds, max_attempts, active from jobplane_definitions where key in (select value from json_each(?))

-- statement: queues
select name, queue_id from jobplane_queues where name in (select value from json_each(?))

-- statement: last
select seq from sqlite_sequence where name = 'jobplane_jobs'
