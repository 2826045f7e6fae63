-- list_queues: queues by name, with what waits and runs in each, counted up to 10,000
-- in:  names, or null for all; limit (null: no limit, else 1 to 1000); the name after which to begin
-- owner: engine
-- for: admin, worker, scheduler
create or replace function jobplane.list_queues(p_names text[] default null, p_limit int default null, p_after text default '')
returns table (name text, paused_at timestamptz, ready bigint, held bigint, upcoming bigint, running bigint, description text, paused_by text, paused_reason text)
language sql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
  select q.name, q.paused_at,
         (select count(*) from (select from jobplane.ready r where r.queue_id = q.queue_id and r.seq > 0 limit 10000) x),
         (select count(*) from (select from jobplane.held h where h.queue_id = q.queue_id limit 10000) x),
         (select count(*) from (select from jobplane.upcoming u where u.queue_id = q.queue_id limit 10000) x),
         (select count(*) from (select from jobplane.leases l where l.queue_id = q.queue_id limit 10000) x),
         q.description, q.paused_by, q.paused_reason
    from jobplane.queues q where q.name > p_after and (p_names is null or q.name = any (p_names))
   order by q.name limit case when p_limit is not null then least(greatest(p_limit, 1), 1000) end
$$;
