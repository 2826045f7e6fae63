-- put_queues: make or change queues, each given by its name, or as a JSON object with its name; what a document does not name keeps its value, or the default
-- in:  names; documents: name, description
-- out: the names that were made. A queue that was deleted comes back, and its ended jobs belong to it again
-- owner: engine
-- for: admin, worker
create or replace function jobplane.put_queues(p_names text[] default '{}', p_documents jsonb default '[]') returns setof text
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_made      text[];
  v_changed   text[];
  v_documents constant jsonb[] := array(select jobplane.documents(
    (select coalesce(jsonb_agg(jsonb_build_object('name', n)), '[]') from unnest(p_names) n) || p_documents, 'name', '{name,description}'));
begin
  v_made := array(select jobplane.restore_queues(array(select d ->> 'name' from unnest(v_documents) d)));
  with q as (insert into jobplane.queues (name) select d ->> 'name' from unnest(v_documents) d on conflict do nothing returning queue_id, name),
  c as (insert into jobplane.clocks (queue_id, priority) select q.queue_id, 100 from q),
  l as (insert into jobplane.lanes (queue_id, priority) select q.queue_id, 100 from q)
  select v_made || array_agg(q.name) into v_made from q;
  perform from jobplane.queues q where q.name in (select d ->> 'name' from unnest(v_documents) d where d - 'name' <> '{}') order by q.name for no key update;
  with c as (
    update jobplane.queues q set description = n.description
      from unnest(v_documents) d join jobplane.queues o on o.name = d ->> 'name', lateral jsonb_populate_record(o, d) n
     where q.queue_id = o.queue_id and d - 'name' <> '{}' and q.description is distinct from n.description returning q.name)
  select array_agg(c.name) into v_changed from c where c.name <> all (v_made);
  perform jobplane.audit('putQueues', null, t.names, p_after => to_jsonb(v_documents), p_facts => jsonb_build_object('created', cardinality(v_made)))
     from (select v_made || coalesce(v_changed, '{}')) t(names) where t.names <> '{}';                   -- none for a worker that names its queues at its start
  return query select unnest(v_made);
exception when check_violation or not_null_violation then
  raise exception using errcode = 'JP002', message = case when sqlerrm like '%description%' then 'The description of a queue is a text of up to 1000 characters.'
                            else 'The name of a queue has a-z, 0-9, dot, dash and underscore, up to 100 characters.' end;
end $$;
