-- pause_queues: a paused queue hands out nothing; its rows stay where they are, what runs, runs on
-- out: the names that are there
-- owner: engine
-- for: admin
create or replace function jobplane.pause_queues(p_names text[]) returns setof text
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
begin
  perform jobplane.lock_gates();
  return query update jobplane.queues q set paused_at = coalesce(q.paused_at, jobplane.clock()) where q.name = any (p_names) returning q.name;
end $$;
