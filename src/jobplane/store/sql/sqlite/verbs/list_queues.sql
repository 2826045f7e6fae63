-- list_queues: queues by name, with what waits and runs in each, counted up to 10,000
-- in:  names, or null for all; limit (null: no limit, else 1 to 1000); the name after which to begin

-- statement: page
select q.name, q.description, q.paused_at, q.paused_by, q.paused_reason,
       (select count(*) from (select 1 from jobplane_ready r where r.queue_id = q.queue_id limit 10000)),
       (select count(*) from (select 1 from jobplane_held h where h.queue_id = q.queue_id limit 10000)),
       (select count(*) from (select 1 from jobplane_upcoming u where u.queue_id = q.queue_id limit 10000)),
       (select count(*) from (select 1 from jobplane_leases l where l.queue_id = q.queue_id limit 10000))
  from jobplane_queues q where q.name > cast(? as text) order by q.name limit ?

-- statement: named
select q.name, q.description, q.paused_at, q.paused_by, q.paused_reason,
       (select count(*) from (select 1 from jobplane_ready r where r.queue_id = q.queue_id limit 10000)),
       (select count(*) from (select 1 from jobplane_held h where h.queue_id = q.queue_id limit 10000)),
       (select count(*) from (select 1 from jobplane_upcoming u where u.queue_id = q.queue_id limit 10000)),
       (select count(*) from (select 1 from jobplane_leases l where l.queue_id = q.queue_id limit 10000))
  from jobplane_queues q where q.name in (select value from json_each(?)) order by q.name
