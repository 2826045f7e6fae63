-- put_queues: make or change queues, each given by its name, or as a JSON object with its name; what a document does not name keeps its value, or the default
-- in:  names; documents: name, description
-- out: the names that were made. A queue that was deleted comes back, and its ended jobs belong to it again
-- owner: engine
-- for: admin, worker
create or replace function jobplane.put_queues(p_names text[] default '{}', p_documents jsonb default '[]') returns setof text
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
#variable_conflict use_column
declare
  v_documents constant jsonb[] := array(select jobplane.documents(
    (select coalesce(jsonb_agg(jsonb_build_object('name', n)), '[]') from unnest(p_names) n) || p_documents, 'name', '{name,description}'));
begin
  return query select jobplane.restore_queues(array(select d ->> 'name' from unnest(v_documents) d));
  return query
  with q as (insert into jobplane.queues (name) select d ->> 'name' from unnest(v_documents) d on conflict do nothing returning queue_id, name),
  c as (insert into jobplane.clocks (queue_id, priority) select q.queue_id, 100 from q),
  l as (insert into jobplane.lanes (queue_id, priority) select q.queue_id, 100 from q)
  select q.name from q;
  perform from jobplane.queues q where q.name in (select d ->> 'name' from unnest(v_documents) d where d - 'name' <> '{}') order by q.name for no key update;
  update jobplane.queues q set description = n.description
    from unnest(v_documents) d join jobplane.queues o on o.name = d ->> 'name', lateral jsonb_populate_record(o, d) n
   where q.queue_id = o.queue_id and d - 'name' <> '{}';
exception when check_violation or not_null_violation then
  raise exception '%', case when sqlerrm like '%description%' then 'a queue''s description is a text of up to 1000 characters'
                            else 'a queue''s name has a-z, 0-9, dot, dash and underscore, up to 100' end using errcode = 'JP002';
end $$;
