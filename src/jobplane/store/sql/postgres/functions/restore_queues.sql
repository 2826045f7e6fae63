-- restore_queues: bring deleted queues back under their ids, which their jobs and clocks still have; the names of those that came back
-- for: engine
create or replace function jobplane.restore_queues(p_names text[]) returns setof text language sql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
  with d as (delete from jobplane.deleted_queues d where d.name = any (p_names) returning d.queue_id, d.name)
  insert into jobplane.queues (queue_id, name) overriding system value select d.queue_id, d.name from d order by d.name returning name
$$;
