-- want_work: an idle worker says for how long it wants to be woken; only then does an enqueue send a notification
-- in:  queue names, seconds (0 to 60)
-- out: the queues' ids, which a notification on channel jobplane_wake carries
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.want_work(p_queues text[], p_seconds int default 5) returns table (name text, queue_id int)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
#variable_conflict use_column
declare
  v_until constant timestamptz := jobplane.clock() + make_interval(secs => least(greatest(p_seconds, 0), 60));
begin
  update jobplane.queues q set wanted_until = v_until
   where q.ctid = any (array(select x.ctid from jobplane.queues x where x.name = any (p_queues) and x.wanted_until < v_until - interval '1 s' for update skip locked));
  return query select q.name, q.queue_id from jobplane.queues q where q.name = any (p_queues);
end $$;
