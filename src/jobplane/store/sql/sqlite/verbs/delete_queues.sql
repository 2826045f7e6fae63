-- delete_queues: delete queues that nothing uses; their ended jobs still show the name, and put_queues brings a queue back
-- out: the names that were deleted; one that is not there is left out. A queue in use refuses the whole call: one with waiting or running jobs, one that a
--      definition names or a live worker serves, and default and system, which jobplane needs. Busy (55P03) while a transaction that enqueues is open

-- statement: used
select q.name,
       case when q.name in ('default', 'system') then 'jobplane'
            when exists (select 1 from jobplane_ready r where r.queue_id = q.queue_id)
              or exists (select 1 from jobplane_held h where h.queue_id = q.queue_id)
              or exists (select 1 from jobplane_upcoming u where u.queue_id = q.queue_id)
              or exists (select 1 from jobplane_leases l where l.queue_id = q.queue_id) then 'jobs'
            when exists (select 1 from jobplane_definitions d where d.queue_id = q.queue_id) then 'definitions' end
  from jobplane_queues q where q.name in (select value from json_each(?)) order by q.name

-- statement: keep
insert into jobplane_deleted_queues (queue_id, name) select queue_id, name from jobplane_queues where name in (select value from json_each(?))
