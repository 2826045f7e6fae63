-- resume_queues: hand out jobs again
-- out: the names that are there
-- owner: engine
-- for: admin
create or replace function jobplane.resume_queues(p_names text[]) returns setof text
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
begin
  return query update jobplane.queues q set paused_at = null where q.name = any (p_names) returning q.name;
  perform jobplane.wake(q.queue_id) from jobplane.queues q where q.name = any (p_names);
end $$;
