-- put_queues: make the queues that are not there yet
-- out: the names that were made
-- owner: engine
-- for: admin, worker
create or replace function jobplane.put_queues(p_names text[]) returns setof text
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
begin
  return query
  with q as (insert into jobplane.queues (name) select distinct n from unnest(p_names) n order by n on conflict do nothing returning queue_id, name),
  c as (insert into jobplane.clocks (queue_id, priority) select q.queue_id, 100 from q),
  l as (insert into jobplane.lanes (queue_id, priority) select q.queue_id, 100 from q)
  select q.name from q;
exception when check_violation or not_null_violation then
  raise exception 'a queue''s name has a-z, 0-9, dot, dash and underscore, up to 100' using errcode = 'JP002';
end $$;
