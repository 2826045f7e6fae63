-- resume_queues: hand out jobs again
-- out: the names that are there
-- owner: engine
-- for: admin
create or replace function jobplane.resume_queues(p_names text[]) returns setof text
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
declare
  v_done text[];
begin
  with done as (
    update jobplane.queues q set paused_at = null, paused_by = null, paused_reason = null where q.name = any (p_names) and q.paused_at is not null returning q.name)
  select array_agg(d.name) into v_done from done d;
  perform jobplane.audit('resumeQueue', null, v_done) where v_done is not null;
  return query select q.name from jobplane.queues q where q.name = any (p_names);
  perform jobplane.wake(q.queue_id) from jobplane.queues q where q.name = any (p_names);
end $$;
