-- pause_queues: a paused queue hands out nothing; its rows stay where they are, what runs, runs on
-- in:  names; a reason of up to 1000 characters, kept with the caller's name. Another reason replaces that of a queue that is paused already
-- out: the names that are there
-- owner: engine
-- for: admin
create or replace function jobplane.pause_queues(p_names text[], p_reason text default null) returns setof text
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
declare
  v_by   constant text := jobplane.pausing(p_reason);
  v_done text[];
begin
  perform jobplane.lock_gates();
  with locked as (
    select q.queue_id from jobplane.queues q
     where q.name = any (p_names) and (q.paused_at is null or q.paused_reason is distinct from coalesce(p_reason, q.paused_reason)) order by q.name for no key update),
  done as (
    update jobplane.queues q set paused_at = coalesce(q.paused_at, jobplane.clock()), paused_by = v_by, paused_reason = coalesce(p_reason, q.paused_reason)
      from locked l where q.queue_id = l.queue_id returning q.name)
  select array_agg(d.name) into v_done from done d;
  perform jobplane.audit('pauseQueue', null, v_done, p_facts => jsonb_strip_nulls(jsonb_build_object('reason', p_reason))) where v_done is not null;
  return query select q.name from jobplane.queues q where q.name = any (p_names);
end $$;
